/** What several rounds of one measurement gave. */
export interface Measured {
  median: number;
  least: number;
  most: number;
  /** Round by round. */
  rounds: number[];
}

export function measuredOf(values: number[]): Measured {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  return { median, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN, rounds: values };
}

/** The ratio of each pair of rounds, so that what slows the machine down for a while meets both. */
export function ratioOf(one: Measured, other: Measured): Measured {
  return measuredOf(one.rounds.map((value, round) => value / (other.rounds[round] ?? Number.NaN)));
}
