/** A number with its noun, as `1 day` and `5 days`. @param noun in the singular; its plural ends in "s" */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
