import { countryNames } from "../../contract/country";

let options: string | undefined;

/** The world's countries as HTML for a datalist. Their names are no content: browsers without lists would show it. */
export function countryOptions(): string {
  options ??= countryNames()
    .map((name) => `<option value="${name.replaceAll("&", "&amp;")}"></option>`)
    .join("");
  return options;
}
