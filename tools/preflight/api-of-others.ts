import { parseJson } from "../../app/shared/http/parse-json";
import { causeOf } from "../failures";
import type { Neighbors } from "../neighbors";

const WITHIN_MS = 20_000;

/**
 * Sends an empty form to somebody else's API, which creates nothing from it.
 * @returns why it does not speak the contract (docs/subscription-api.md); undefined if it refuses the form as JSON over https
 */
export async function problemOfApi(apiUrl: string, fetch: Neighbors["fetch"]): Promise<string | undefined> {
  const url = `${apiUrl}/subscription`;
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") return `${apiUrl} is not an https URL`;
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.timeout(WITHIN_MS);
  try {
    const response = await fetch(url, { method: "POST", body: "{}", headers, redirect: "manual", signal });
    if (response.status !== 400 && response.status !== 422)
      return `${url} answered an empty form with ${response.status}, not 400 or 422: is this the API's URL?`;
    const type = response.headers.get("content-type") ?? "no content type";
    if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type) || typeof parseJson(await response.text()) !== "object")
      return `${url} refused an empty form, but not as JSON (${type})`;
    return undefined;
  } catch (error) {
    return `${url} cannot be reached (${causeOf(error)})`;
  }
}
