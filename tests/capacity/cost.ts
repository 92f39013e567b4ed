/** What one action costs the Worker that does it. */
export interface Cost {
  /** Milliseconds of CPU; NaN where the system does not tell. */
  cpu: number;
  /** Statements of D1, each of a batch by itself. */
  statements: number;
  rowsRead: number;
  rowsWritten: number;
  /** Calls to other services, D1 not among them. */
  subrequests: number;
  logLines: number;
}

export const NO_DATABASE = { statements: 0, rowsRead: 0, rowsWritten: 0 };

export function meanOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
