import { expect } from "vitest";
import { fastRows } from "../fast-api/rows";
import type { FaultyProxy } from "../faults/faulty-proxy";
import type { cookieBrowser } from "../visitors/cookie-browser";
import { type Answer, fields, nonceIn, resumeLinkIn, returnTokenIn } from "../visitors/site-visitor";
import { stripeStateOf } from "../visitors/visitor";
import type { RunningWorker } from "../workers/workers";
import { Backend, Device, type Page, type SignUp } from "./model";

export const PLANS = [
  { id: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", name: "MINI" },
  { id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", name: "STANDARD" },
] as const;

export const pathOf = (plan: number) => `/subscription/${PLANS[plan]?.id}`;

/** The model's tab: what its page was when it was opened. */
export interface ModelTab {
  plan: number;
  page: Page | undefined;
  /** The form's nonce, by the number of the page. */
  form: number;
  sent?: { form: number; key: string; details: { plan: number; email: number; company: string } } | undefined;
}

export class Model {
  readonly backend = new Backend();
  readonly devices = [new Device(), new Device()];
  readonly tabs: ModelTab[] = Array.from({ length: 4 }, () => ({ plan: 0, page: undefined, form: 0 }));
  forms = 0;
}

/** What the steps are made of in reality. */
export interface World {
  browsers: ReturnType<typeof cookieBrowser>[];
  emails: string[];
  tabs: { nonce: string; secret: string; returnToken: string; link: string; sent: Record<string, string> }[];
  api: RunningWorker;
  stripe: RunningWorker;
  /** In front of the API, and of Stripe for the site. */
  apiProxy: FaultyProxy;
  stripeProxy: FaultyProxy;
}

/** Opens a path as a browser does: redirects are followed, the last page is read. */
export async function openIn(world: World, device: number, path: string): Promise<Answer> {
  const browser = world.browsers[device];
  if (!browser) throw new Error("There is no such device");
  let answer = await browser.get(path);
  for (let redirects = 0; answer.status === 303; redirects += 1) {
    if (redirects === 4) throw new Error(`${path} leads in a circle`);
    answer = await browser.get(answer.headers.get("Location") ?? "");
  }
  return answer;
}

/** Keeps of a page what later steps need. */
export function keepPage(world: World, tab: number, answer: Answer): void {
  const kept = world.tabs[tab];
  if (!kept) throw new Error("There is no such tab");
  kept.nonce = nonceIn(answer);
  kept.secret = /seti_\w+_secret_\w+/.exec(answer.body)?.[0] ?? "";
  kept.returnToken = returnTokenIn(answer);
  const link = answer.text.includes("Continue on another device") ? resumeLinkIn(answer) : undefined;
  kept.link = link ? link.pathname + link.search : "";
}

const TITLES = {
  card: "Please enter your card info for starting your 5 days free trial",
  form: "Subscription Information",
  waiting: "This page looks again by itself.",
  done: "Your 5 days trial period has been started.",
};

/** Compares a page with what the model says, and with what API and Stripe hold. */
export async function expectPage(world: World, plan: number, answer: Answer, expected: Page): Promise<void> {
  const { text, body } = answer;
  const words = text.replaceAll("&quot;", '"');
  const shown = Object.entries(TITLES).flatMap(([kind, title]) => (words.includes(title) ? kind : []));
  expect(shown).toEqual([expected.kind]);
  expect(body).not.toContain(fields.password);
  expect(words.includes("Subscription Data Saved!")).toBe(expected.kind === "card" && expected.news === "saved");
  expect(words.includes("Card Successful!")).toBe(expected.kind === "done" && expected.isNews);
  switch (expected.kind) {
    case "form":
      return expectForm(world, plan, words, expected);
    case "card":
      expect(words.includes("Payment Failed")).toBe(expected.news === "failed");
      expect(words.includes("Continue on another device")).toBe(expected.hasLink);
      return expectSignUp(world, plan, words, body, expected);
    case "done": {
      const { email } = expected.signUp;
      expect(words).toContain(world.emails[email]);
      const live = await fastRows(world.api, LIVE, world.emails[email]);
      expect(live.map(({ package_id }) => package_id)).toEqual([PLANS[expected.signUp.plan]?.id]);
    }
  }
}

function expectForm(world: World, plan: number, words: string, expected: Page & { kind: "form" }): void {
  const { details, waiting, notice } = expected;
  expect(words).toContain(`name="package_id" id="signup-package_id" value="${PLANS[plan]?.id}"`);
  expect(words.includes("Your sign-up has ended")).toBe(notice === "expired");
  expect(words.includes("Your sign-up could not be opened")).toBe(notice === "unreadable");
  const offer = `You have a sign-up for ${PLANS[waiting ?? -1]?.name} waiting for its card`;
  expect(words.includes("waiting for its card")).toBe(waiting !== undefined);
  if (waiting !== undefined) expect(words).toContain(offer);
  const typed = /id="signup-company_name"[^>]* value="([^"]*)"/.exec(words)?.[1] ?? "";
  expect(typed).toBe(details?.company ?? "");
  if (details) expect(words).toContain(`value="${world.emails[details.email]}"`);
}

async function expectSignUp(
  world: World,
  plan: number,
  words: string,
  body: string,
  { signUp }: { signUp: SignUp },
): Promise<void> {
  const intent = /seti_\w+(?=_secret_)/.exec(body)?.[0];
  const [row] = await fastRows(world.api, "SELECT * FROM sign_ups WHERE stripe_setup_intent_id = ?", intent);
  expect(row).toMatchObject({
    email: world.emails[signUp.email],
    package_id: PLANS[signUp.plan]?.id,
    company_name: signUp.company,
  });
  // The plan beside the card is the one that was signed up for, and that of the URL.
  expect(signUp.plan).toBe(plan);
  expect(words).toContain(`>${PLANS[plan]?.name}</strong>`);
  expect(words).toContain(world.emails[signUp.email]);
  expect(words).toContain(`<strong>${signUp.company}</strong>`);
}

const LIVE = "SELECT * FROM sign_ups WHERE email = ? AND status IN ('trialing', 'active')";

/** At the end: as many trials as the model has, each with one subscription, and none beside them. */
export async function expectTrials(world: World, { backend }: Model): Promise<void> {
  for (const [number, email] of world.emails.entries()) {
    const trials = backend.signUps.filter((signUp) => signUp.email === number && signUp.hasTrial);
    const live = await fastRows(world.api, LIVE, email);
    expect(live.map(({ package_id }) => package_id)).toEqual(trials.map(({ plan }) => PLANS[plan]?.id));
    const { subscriptions } = await stripeStateOf(world.stripe, email);
    expect(subscriptions.filter(({ status }) => status === "trialing")).toHaveLength(trials.length);
  }
}
