import { MALFORMED, type Refusal, URL_TOO_LONG } from "./refusals.server";

/** A resume link has up to 5 KB. */
const MAX_URL_LENGTH = 8192;
const MAX_QUERY_PARAMETERS = 64;

/** The parameter `_data`, each letter plain or escaped. */
const DATA_PARAMETER = /[?&](?:_|%5[fF])(?:d|%64)(?:a|%61)(?:t|%74)(?:a|%61)(?:[=&]|$)/;

/**
 * Refuses URLs that are too long, and `_data` requests, with which older Remix versions run a single loader past the page's
 * checks. Does not parse the query: parsing 8 KB costs more than serving a cached page.
 */
export function checkUrl({ href, search }: URL): Refusal | undefined {
  if (href.length > MAX_URL_LENGTH) return URL_TOO_LONG;
  if (search === "") return undefined;
  return hasTooManyParameters(search) || DATA_PARAMETER.test(search) ? MALFORMED : undefined;
}

function hasTooManyParameters(search: string): boolean {
  return search.split("&", MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS;
}
