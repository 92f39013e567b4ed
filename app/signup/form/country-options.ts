import { countryNames } from "../../contract/fields/country";

let options: string | undefined;

/** Countries as HTML options for a datalist. The names are attributes, because browsers without datalists show content. */
export function countryOptions(): string {
  options ??= countryNames()
    .map((name) => `<option value="${name.replaceAll("&", "&amp;")}"></option>`)
    .join("");
  return options;
}
