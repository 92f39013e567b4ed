import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkForBots } from "../../../../app/signup/server/bots/bot-check.server";
import { challenges } from "../../../../app/signup/server/bots/challenge.server";
import { turnstile } from "../../../../app/signup/server/bots/turnstile.server";
import { formNonces } from "../../../../app/signup/server/submit/form-nonce.server";
import { contextWith, countingLimiter, recordedLog } from "../../../support/site-in-process/pipeline-context";
import { stopClock } from "../../../support/site-in-process/site-context";
import { validRequest as request } from "../../../support/visitors/visitor";

/* How many forms get through in one minute, with the limits of production. */

const SECRETS = ["a-secret-of-at-least-thirty-two-characters"];
const nonces = formNonces(SECRETS, () => Date.now());
const tokens = challenges(SECRETS, () => Date.now());
const nonceOf = (millisecondsAgo: number) => formNonces(SECRETS, () => Date.now() - millisecondsAgo).issue();

stopClock();

const settings = readFileSync(fileURLToPath(new URL("../../../../wrangler.toml", import.meta.url)), "utf8");

function limiterOf(name: string) {
  const block = new RegExp(`\\[\\[env\\.production\\.ratelimits\\]\\]\\nname = "${name}"[^[]*limit = (\\d+)`);
  return countingLimiter(Number(block.exec(settings)?.[1]));
}

/** A site in one minute. */
function site() {
  const configuration = {
    BOT_CHECK: true,
    FORM_NONCE_RATE_LIMIT: limiterOf("FORM_NONCE_RATE_LIMIT"),
    SIGNUP_NETWORK_RATE_LIMIT: limiterOf("SIGNUP_NETWORK_RATE_LIMIT"),
  };
  const { log } = recordedLog();
  const services = {
    log,
    nonces,
    challenges: tokens,
    turnstile: turnstile({ siteKey: undefined, secretKey: undefined }),
  };
  return async (ip: string, form: Record<string, string>) => {
    const context = contextWith({ ...services, configuration, ip, route: { isData: false } });
    const checked = await checkForBots(form, request, context);
    return checked.status === "asks" ? checked.question : undefined;
  };
}

type Sender = (index: number) => string;
type Nonce = () => Promise<string> | string;

const alone: Sender = () => "192.0.2.1";
/** Another /64 of one /48 each time. */
const inNetwork6: Sender = (index) => `2001:db8:7:${index.toString(16)}::1`;
/** Another network each time. */
const anywhere: Sender = (index) => `${20 + (index >> 8)}.0.${index & 255}.1`;

const none: Nonce = () => "";
const fresh: Nonce = () => nonceOf(0);
const unhurried: Nonce = () => nonceOf(5_000);
const forged: Nonce = () => `${Date.now().toString(36)}.${crypto.randomUUID()}.${"A".repeat(43)}`;
function reused(age: number): Nonce {
  let nonce: Promise<string> | undefined;
  return () => {
    nonce ??= nonceOf(age);
    return nonce;
  };
}

test.each<[what: string, posts: number, through: number, from: Sender, nonce: Nonce, website?: string]>([
  ["a loop that has never opened the form", 50, 5, alone, none],
  ["a loop from many addresses at once", 200, 5, anywhere, none],
  ["a script that repeats one nonce at once", 100, 5, anywhere, reused(0)],
  ["a script that repeats one nonce slowly", 100, 10, anywhere, reused(5_000)],
  ["a script that fills in every field", 50, 0, anywhere, fresh, "http://x.test"],
  ["a script with forged nonces", 100, 5, anywhere, forged],
  ["a /48 network", 200, 60, inNetwork6, fresh],
  ["a slow /48 network", 200, 120, inNetwork6, unhurried],
  ["a crowd of people at different addresses", 1_200, 1_200, anywhere, unhurried],
  ["a crowd whose browser extension fills in the honeypot", 100, 100, anywhere, unhurried, "https://engines.example"],
])("%s sends %i forms, of which %i pass [H20]", async (_, posts, through, from, nonce, website = "") => {
  const check = site();
  let passed = 0;
  for (let index = 0; index < posts; index += 1) {
    if (!(await check(from(index), { form_nonce: await nonce(), website }))) passed += 1;
  }
  expect(passed).toBe(through);
});

test("a script that presses the challenge button gets as many forms through again, then 429 [H20]", async () => {
  const check = site();
  const statuses: (number | undefined)[] = [];
  for (let index = 0; index < 70; index += 1) {
    const form = { form_nonce: await fresh(), website: "x" };
    const asked = await check(inNetwork6(index), form);
    const confirmation = asked?.reply.challenge?.token ?? "";
    statuses.push((await check(inNetwork6(index), { ...form, confirmation }))?.httpStatus);
  }
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(undefined));
  expect(statuses.slice(60)).toEqual(Array(10).fill(429));
});
