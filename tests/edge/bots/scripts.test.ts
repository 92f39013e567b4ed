import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nonceOpened, UNHURRIED } from "../../support/visitors/form-nonces";
import { openForm } from "../../support/visitors/form-page";
import { enoughOfTheMinute } from "../../support/visitors/senders";
import { type Answer, nonceIn, SECRET, type SiteVisitor, siteVisitor } from "../../support/visitors/site-visitor";
import { startUpstream, type Upstream } from "../../support/workers/upstream";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* How many forms of a script get through in a minute, with the limits of production. */

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  upstream = await startUpstream();
});

beforeEach(enoughOfTheMinute, 30_000);

beforeEach(async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  // Each kind of script alone: they would meet one another's limits.
  site = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url }, rateLimit: "as in production" });
  visitor = siteVisitor(site);
  return () => site.dispose();
});

afterAll(() => upstream.dispose());

interface Script {
  /** Headers, beside those that a browser sends. */
  from: (index: number) => Record<string, string>;
  nonce: () => Promise<string> | string;
  change?: Record<string, string>;
  /** Sends no headers that name an origin. */
  bare?: true;
}

/** Sends different forms, and returns the answers in their order. */
async function run(posts: number, { from, nonce, change, bare }: Script): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let index = 0; index < posts; index += 20) {
    const batch = Array.from({ length: Math.min(20, posts - index) }, async (_, offset) => {
      const at = index + offset;
      const form = { email: `bot-${at}@example.com`, form_nonce: await nonce(), ...change };
      if (!bare) return visitor.submit(form, from(at));
      const body = new URLSearchParams({ ...form }).toString();
      return visitor.send("POST", "/subscription", { "Content-Type": FORM, ...length(body), ...from(at) }, body);
    });
    answers.push(...(await Promise.all(batch)));
  }
  return answers;
}

const FORM = "application/x-www-form-urlencoded";
const length = (body: string) => ({ "Content-Length": String(Buffer.byteLength(body)) });

const alone = () => ({ "CF-Connecting-IP": "192.0.2.1" });
/** Another /64 of one /48 each time. */
const inNetwork6 = (index: number) => ({ "CF-Connecting-IP": `2001:db8:7:${index.toString(16)}::1` });
const inNetwork4 = (index: number) => ({ "CF-Connecting-IP": `203.0.113.${index % 256}` });
/** Another network each time. */
const anywhere = (index: number) => ({ "CF-Connecting-IP": `${20 + (index >> 8)}.0.${index & 255}.1` });

const fresh = () => nonceOpened(0);
const unhurried = () => nonceOpened(UNHURRIED);
const forged = () => `${Date.now().toString(36)}.${crypto.randomUUID()}.${"A".repeat(43)}`;
const expired = () => nonceOpened(25 * 60 * 60 * 1000);

async function reused(age: number): Promise<() => string> {
  const nonce = await nonceOpened(age);
  return () => nonce;
}

test.each<[what: string, script: Script | (() => Promise<Script>), posts: number, through: number]>([
  ["a loop of curl that has never opened the form", { from: alone, nonce: () => "", bare: true }, 50, 0],
  ["the same that claims to come from the site", { from: alone, nonce: () => "" }, 50, 5],
  ["the same from everywhere at once", { from: anywhere, nonce: () => "" }, 200, 5],
  ["a loop that opens the form each time", { from: alone, nonce: fresh }, 50, 10],
  ["one nonce sent again and again, at once", async () => ({ from: anywhere, nonce: await reused(0) }), 100, 5],
  ["one nonce sent again, without haste", async () => ({ from: anywhere, nonce: await reused(UNHURRIED) }), 100, 10],
  ["a script that fills in every field", { from: anywhere, nonce: fresh, change: { website: "http://x.test" } }, 50, 0],
  ["the same without a nonce", { from: anywhere, nonce: () => "", change: { website: "x" } }, 50, 0],
  ["forged nonces", { from: anywhere, nonce: forged }, 100, 5],
  ["nonces of yesterday", { from: anywhere, nonce: expired }, 100, 5],
  ["200 /64s of one /48", { from: inNetwork6, nonce: fresh }, 200, 60],
  ["200 /64s of one /48, without haste", { from: inNetwork6, nonce: unhurried }, 200, 120],
  ["200 addresses of one /24", { from: inNetwork4, nonce: fresh }, 200, 60],
  ["1,200 networks", { from: anywhere, nonce: fresh }, 1_200, 1_000],
])("of %s only so many get through [H20]", async (_, script, posts, through) => {
  const answers = await run(posts, typeof script === "function" ? await script() : script);
  const passed = answers.filter(({ status }) => status === 303);
  expect(passed).toHaveLength(through);
  expect(upstream.calls).toHaveLength(through);
  for (const { status } of answers) expect([303, 403, 422, 429]).toContain(status);
});

describe("when the whole site is over its limit", () => {
  test("readers are served, and people sign up [H20]", async () => {
    await run(1_050, { from: anywhere, nonce: fresh });
    upstream.answersJson(200, { client_secret: SECRET });
    const me = { "CF-Connecting-IP": "198.51.100.77" };
    for (const path of ["/", "/pricing", "/subscription"]) expect((await visitor.get(path, me)).status).toBe(200);
    const opened = nonceIn(await visitor.get("/subscription", me));
    await sleep(2_000);
    expect((await visitor.submit({ form_nonce: opened }, me)).status).toBe(303);
    expect(upstream.calls).toHaveLength(1);
  });
});

test("a script that presses the button gets as many through again, and then the form comes back with 429 [H20]", async () => {
  const pressed: number[] = [];
  for (let index = 0; index < 70; index += 1) {
    const form = { email: `bot-${index}@example.com`, website: "x", form_nonce: await fresh() };
    const asked = await visitor.submit(form, inNetwork6(index));
    const answer = await visitor.submit({ ...form, confirmation: confirmationIn(asked) }, inNetwork6(index));
    pressed.push(answer.status);
    if (answer.status !== 429) continue;
    expect(answer.text).toContain("Too many requests. Please wait a moment and try again.");
    expect(confirmationIn(answer)).not.toBe("");
  }
  expect(pressed.filter((status) => status === 303)).toHaveLength(60);
  expect(pressed.slice(60)).toEqual(Array.from({ length: 10 }, () => 429));
});

function confirmationIn(answer: Answer): string {
  return openForm(answer).document.querySelector<HTMLButtonElement>("button[name=confirmation]")?.value ?? "";
}
