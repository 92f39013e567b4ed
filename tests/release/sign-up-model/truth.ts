import { expect } from "@playwright/test";
import { PASSWORD } from "../../support/visitors/site-visitor";
import { stripeAt, stripeStateOf } from "../../support/visitors/visitor";
import type { Shown } from "./model-page";
import { at, type Servers, type World } from "./model-world";
import { fastRows } from "./rows-over-http";

const LIVE = "SELECT * FROM sign_ups WHERE email = ? AND status IN ('card_set_up', 'trialing', 'active')";

/** Every page agrees with the API and Stripe. */
export async function expectTruth(world: World, tab: number, shown: Shown): Promise<void> {
  const { html, words, kind, notices, intent, company } = shown;
  const email = shown.email || (at(world.tabs, tab).email ?? "");
  expect(html.includes(PASSWORD), "the password is in the page").toBe(false);
  if (kind === "card") {
    const [row] = await fastRows(world.api, "SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", intent);
    // The API forgets a sign-up after its fifth declined card.
    if (row) expect(row, words).toMatchObject({ email, company_name: company });
    if (world.driver.runsScripts) expect(await statusOf(world, intent), words).not.toBe("succeeded");
  }
  if (kind === "done") {
    expect(await hasTrial(world, email), words).toBe(true);
    const [row] = await fastRows(world.api, LIVE, email);
    if (company !== "") expect(row, words).toMatchObject({ company_name: company });
  }
  if (notices.includes("finished")) expect(await hasTrial(world, email), words).toBe(true);
  if (notices.some((notice) => ["canceled", "expired"].includes(notice)))
    expect(await hasEnded(world, email), words).toBe(true);
  if (notices.includes("taken"))
    expect((await hasTrial(world, email)) || (await hasEnded(world, email)), words).toBe(true);
}

/** One subscription, at the API and at Stripe. */
export async function hasTrial({ api, stripe }: Servers, email: string): Promise<boolean> {
  const [live, { subscriptions }] = await Promise.all([fastRows(api, LIVE, email), stripeStateOf(stripe, email)]);
  return live.length === 1 && subscriptions.filter(({ status }) => status === "trialing").length === 1;
}

/** True if the email address's sign-up has no trial or no longer exists. */
async function hasEnded({ stripe }: Servers, email: string): Promise<boolean> {
  const { setupIntents, subscriptions } = await stripeStateOf(stripe, email);
  return setupIntents.length === 0 || setupIntents.length > subscriptions.length;
}

export async function statusOf({ stripe }: Servers, intent: string): Promise<string> {
  return (await stripeAt(stripe).setupIntents.retrieve(intent)).status;
}

/** Each email address that began a trial has exactly one, and no other subscription. */
export async function expectTrials(world: World): Promise<void> {
  for (const email of world.emails) {
    const live = await fastRows(world.api, LIVE, email);
    const { subscriptions } = await stripeStateOf(world.stripe, email);
    const count = world.trials.has(email) ? 1 : 0;
    expect([live.length, subscriptions.length], email).toEqual([count, count]);
  }
}
