import { settings as siteSettings } from "../../app/pipeline/settings/configuration.server";
import { settings as apiSettings } from "../../functions/subscription-api/config";
import type { Worker } from "./deployment";

/** Variables, secrets and bindings that a Worker reads. */
export function namesOf(worker: Worker): string[] {
  return Object.keys((worker === "site" ? siteSettings : apiSettings).shape);
}

/** `; is X meant?` for the name that shares two thirds of its pairs of letters or more; empty without one. */
export function meant(name: string, names: string[]): string {
  const pairsOf = (text: string) => new Set(Array.from(text.slice(1), (letter, index) => `${text[index]}${letter}`));
  const pairs = pairsOf(name.toUpperCase());
  const likeness = (one: string) => {
    const others = pairsOf(one);
    return (2 * [...pairs].filter((pair) => others.has(pair)).length) / (pairs.size + others.size);
  };
  const [best] = names.toSorted((one, two) => likeness(two) - likeness(one));
  return best !== undefined && likeness(best) > 2 / 3 ? `; is ${best} meant?` : "";
}
