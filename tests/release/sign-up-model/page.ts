import { expect } from "@playwright/test";
import { JSDOM } from "jsdom";
import { withoutStyle } from "../../support/visitors/site-visitor";
import { stripeStateOf } from "../../support/visitors/visitor";
import type { Details, Page, SignUp } from "./model";
import { fastRows } from "./rows-over-http";
import { type Model, PLANS, type World } from "./world";

const KINDS = {
  card: "Please enter your card info for starting your 5 days free trial",
  form: "Subscription Information",
  waiting: "This page checks automatically.",
  done: "Your 5 days trial period has been started.",
  resume: "Continue your sign-up",
};

const NOTICES = {
  expired: "Your sign-up has ended",
  unreadable: "Your sign-up could not be opened",
  canceled: "This sign-up was canceled",
  blocked: "Cookies are blocked",
  taken: "A subscription with this information already exists.",
  unreachable: "Connection Failed",
  finished: "This sign-up is finished",
};

const LIVE = "SELECT * FROM sign_ups WHERE email = ? AND status IN ('trialing', 'active')";

/** A page as a visitor reads it. */
export interface Shown {
  document: Document;
  words: string;
  kinds: string[];
  notices: string[];
  value(field: string): string;
}

export function shownBy(html: string): Shown {
  const { document } = new JSDOM(withoutStyle(html)).window;
  const words = (document.querySelector("main")?.textContent ?? "").replace(/\s+/g, " ");
  const found = (list: Record<string, string>) => Object.keys(list).filter((name) => words.includes(list[name] ?? ""));
  return {
    document,
    words,
    kinds: found(KINDS),
    notices: found(NOTICES),
    value: (field) => document.querySelector(`#signup [name="${field}"]`)?.getAttribute("value") ?? "",
  };
}

/** Compares a page with what the model says, and with what API and Stripe hold. */
export async function expectPage(world: World, plan: number, html: string, expected: Page): Promise<void> {
  const shown = shownBy(html);
  const { words, kinds, notices } = shown;
  expect(kinds, words).toEqual([expected.kind]);
  expect(html).not.toContain(world.password);
  expect(notices, words).toEqual("notice" in expected && expected.notice ? [expected.notice] : []);
  // A script hides it when the card's fields are there.
  const isSaved = words.includes("Subscription Data Saved!");
  if (!world.driver.runsScripts) expect(isSaved).toBe(expected.kind === "card" && expected.news === "saved");
  expect(words.includes("Payment Failed")).toBe(expected.kind === "card" && expected.news === "failed");
  expect(words.includes("Card Successful!")).toBe(expected.kind === "done" && expected.isNews);
  expect(words.includes("You also started a sign-up for")).toBe(expected.other !== undefined);
  if (expected.other) expect(words).toContain(`You also started a sign-up for ${expected.other.company}.`);
  switch (expected.kind) {
    case "form":
      return expectForm(world, plan, shown, expected);
    case "card":
      expect(words.includes("Continue on another device")).toBe(expected.hasLink);
      return expectSignUp(world, plan, html, words, expected.signUp);
    case "resume":
      return expect(words.includes("another one is in progress")).toBe(expected.state === "busy");
    case "done":
      expect(words.includes(world.emails[expected.signUp.email] ?? "")).toBe(!expected.returned);
      return expectTrial(world, expected.signUp);
  }
}

function expectForm(world: World, plan: number, shown: Shown, expected: Page & { kind: "form" }): void {
  const { details, waiting, madeFrom } = expected;
  const { words, value } = shown;
  expect(value("package_id")).toBe(PLANS[plan]?.id);
  expect(words.includes("You started a ")).toBe(waiting !== undefined);
  if (waiting !== undefined) expect(words).toContain(`You started a ${PLANS[waiting]?.name} sign-up`);
  expect(words.includes("This form replaces")).toBe(madeFrom !== undefined);
  if (madeFrom)
    expect(words).toContain(`This form replaces your sign-up for ${madeFrom.company}, unless it already has a card.`);
  expect(value("company_name")).toBe(details?.company ?? "");
  if (details) expect(value("email")).toBe(world.emails[details.email]);
}

async function expectSignUp(world: World, plan: number, html: string, words: string, signUp: SignUp): Promise<void> {
  // The plan beside the card is the one that was signed up for, and that of the URL.
  expect(signUp.plan).toBe(plan);
  expect(words).toContain(PLANS[plan]?.name);
  expect(words).toContain(`Signing up ${signUp.company} with ${world.emails[signUp.email]}`);
  const intent = /seti_\w+(?=_secret_)/.exec(html)?.[0];
  // The API has forgotten the one; the other is in the page's script alone.
  if (signUp.declined === 5 || intent === undefined) return;
  const [row] = await fastRows(world.api, "SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", intent);
  const { email, company } = signUp;
  expect(row).toMatchObject({ email: world.emails[email], package_id: PLANS[plan]?.id, company_name: company });
}

/** A success is one at the API, too. */
async function expectTrial(world: World, { email, plan }: Details): Promise<void> {
  const live = await fastRows(world.api, LIVE, world.emails[email]);
  expect(live.map(({ package_id }) => package_id)).toEqual([PLANS[plan]?.id]);
}

/** What a success, or the refusal of an email address, says: one subscription, at the API and at Stripe. */
export async function hasTrial(world: World, email: string): Promise<boolean> {
  const [live, { subscriptions }] = await Promise.all([
    fastRows(world.api, LIVE, email),
    stripeStateOf(world.stripe, email),
  ]);
  return live.length === 1 && subscriptions.filter(({ status }) => status === "trialing").length === 1;
}

/** As many trials as the model has, each with one subscription, and none beside them. */
export async function expectTrials(world: World, { backend }: Model): Promise<void> {
  for (const [number, email] of world.emails.entries()) {
    const trials = backend.signUps.filter((signUp) => signUp.email === number && signUp.hasTrial);
    const live = await fastRows(world.api, LIVE, email);
    expect(live.map(({ package_id }) => package_id)).toEqual(trials.map(({ plan }) => PLANS[plan]?.id));
    const { subscriptions } = await stripeStateOf(world.stripe, email);
    expect(subscriptions.filter(({ status }) => status === "trialing")).toHaveLength(trials.length);
  }
}
