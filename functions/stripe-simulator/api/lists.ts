import { invalidRequest, noSuch } from "./errors";

type Paging = { limit?: number; starting_after?: string; ending_before?: string };
type Range = number | { gt?: number; gte?: number; lt?: number; lte?: number };

/** A page of what was found, the latest first: https://docs.stripe.com/api/pagination */
export function page<T extends { id: string }>(url: string, found: T[], given: Paging) {
  const { limit = 10, starting_after, ending_before } = given;
  if (limit < 1 || limit > 100) {
    throw invalidRequest(`Invalid limit: must be between 1 and 100, but you passed in ${limit}`, { param: "limit" });
  }
  const place = (id: string, param: string) => {
    const index = found.findIndex((one) => one.id === id);
    if (index === -1) throw noSuch("object", id, param, 400);
    return index;
  };
  const after = starting_after === undefined ? found : found.slice(place(starting_after, "starting_after") + 1);
  const rest = ending_before === undefined ? after : after.slice(0, place(ending_before, "ending_before"));
  const data = ending_before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return { object: "list" as const, url, has_more: rest.length > limit, data };
}

/** Whether a time is in the range of a list's parameter `created`. */
export function isWithin(range: Range | undefined, time: number): boolean {
  if (range === undefined) return true;
  if (typeof range === "number") return range === time;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  return time > gt && time >= gte && time < lt && time <= lte;
}

/** Throws for parameters that Stripe takes and the simulator does not: nothing is ignored in silence. */
export function refuseOthers(rest: object): void {
  const [name] = Object.keys(rest).filter((name) => name !== "expand" && Reflect.get(rest, name) !== undefined);
  if (name !== undefined) throw new Error(`it does not know what to do with the parameter ${name}`);
}

type Metadata = Record<string, string | number | null>;

/** Metadata after a change: an empty value removes its key. */
export function metadataAfter(known: Record<string, string>, given?: Metadata | "" | null): Record<string, string> {
  if (given === "") return {};
  const entries = Object.entries({ ...known, ...given }).map(([name, value]) => [name, String(value ?? "")] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
