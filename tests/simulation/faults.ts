/** A bug that somebody could write: what becomes of the API's source. */
export type Fault = { name: string; changes: { file: string; from: string; to: string }[] };

export const FAULTS: Fault[] = [];
