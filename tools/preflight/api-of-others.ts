import { parseJson } from "../../app/shared/http/parse-json";
import { botCheckAt, causeOf } from "../failures";
import type { Neighbors } from "../neighbors";
import type { WorkerSettings } from "../wrangler/worker-settings";

const WITHIN_MS = 20_000;

/** What the site takes for granted of somebody else's API: docs/operations.md, "What the site says about your API". */
export function toldOfApi({ vars }: WorkerSettings): string {
  const { SUBSCRIPTION_API_PROMISES: promises, SUBSCRIPTION_API_IDEMPOTENT: idempotent } = vars;
  const again = idempotent === "true" ? "tried again" : "not tried again";
  return `Visitors read of it beyond the contract: ${promises || "nothing"} (SUBSCRIPTION_API_PROMISES). Failed calls are ${again} (SUBSCRIPTION_API_IDEMPOTENT).`;
}

/** Sends an empty form, which creates nothing. @returns how the API breaks the contract (docs/subscription-api.md) */
export async function problemOfApi(apiUrl: string, fetch: Neighbors["fetch"]): Promise<string | undefined> {
  const url = `${apiUrl}/subscription`;
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") return `${apiUrl} is not an https URL`;
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.timeout(WITHIN_MS);
  try {
    const response = await fetch(url, { method: "POST", body: "{}", headers, redirect: "manual", signal });
    const botCheck = botCheckAt(url, response);
    if (botCheck !== undefined) return botCheck;
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
