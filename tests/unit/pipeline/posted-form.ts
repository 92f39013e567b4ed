import { bodyOf } from "../../support/site-in-process/body-of";
import { SITE_URL } from "../../support/site-in-process/site-settings";
import { FORM } from "./small-site";

export type Sender = Record<string, string>;
export const OWN_BROWSER: Sender = { Origin: SITE_URL, "Sec-Fetch-Site": "same-origin" };
export const FOREIGN_BROWSER: Sender = { Origin: "https://evil.test", "Sec-Fetch-Site": "cross-site" };
/** A form from the site's own page; the overriding headers that are empty are not sent. */
export function formWith(headers: Record<string, string> = {}, sender = OWN_BROWSER): RequestInit {
  const all = { ...sender, "Content-Type": FORM, ...headers };
  return { method: "POST", headers: Object.entries(all).filter(([, value]) => value !== "") };
}

/** A form that records if its body was read. */
export function watchedForm(headers: Record<string, string> = {}) {
  const { response, taken } = bodyOf(["email=a"]);
  // Node sends a stream as a body only with `duplex`, which the types of Workers lack.
  const form = { ...formWith(headers), body: response.body, ...{ duplex: "half" } };
  return { form, wasRead: () => taken() > 0 };
}
