/** A line for each step, with what went wrong with it; a pair is both with a colon between. */
export function table(pairs: Iterable<string>): string {
  const steps = new Map<string, string[]>();
  for (const pair of [...pairs].sort()) {
    const colon = pair.lastIndexOf(": ");
    const step = pair.slice(0, colon);
    steps.set(step, [...(steps.get(step) ?? []), pair.slice(colon + 2)]);
  }
  return [...steps].map(([step, faults]) => `${step}: ${faults.join(", ")}`).join("\n");
}
