import { expect } from "vitest";
import type { RunningWorker } from "../workers/workers";

/**
 * A visit to the Customer Portal that the emails lead to, with a log-in by email address.
 * @param fields of the form that is sent there; without them the page is only looked at
 * @returns the page, as it is then
 */
export async function inPortal(stripe: RunningWorker, email: string, fields?: Record<string, string>): Promise<string> {
  const send = (path: string, body: Record<string, string>) =>
    fetch(stripe.url + path, { method: "POST", body: new URLSearchParams(body), redirect: "manual" });
  const session = (await send("/p/login/test", { email })).headers.get("location") ?? "";
  expect(session).toMatch(/^\/p\/session\/cus_/);
  if (fields) expect((await send(session, fields)).status).toBe(303);
  return (await fetch(stripe.url + session)).text();
}

/** The portal's form for another card. */
export function anotherCard(number: string): Record<string, string> {
  const card = { "card[number]": number, "card[exp_month]": "12", "card[exp_year]": "2040", "card[cvc]": "123" };
  return { intent: "card", ...card };
}
