import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { enoughOfTheMinute } from "../../support/visitors/senders";
import {
  type Answer,
  fields,
  nonceIn,
  SECRET,
  type SiteVisitor,
  siteVisitor,
} from "../../support/visitors/site-visitor";
import { startUpstream, type Upstream } from "../../support/workers/upstream";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* People are never asked to confirm anything, with the limits of production. */

let upstream: Upstream;
/** Two of Cloudflare's locations: each counts for itself. */
let sites: RunningWorker[];
let visitors: SiteVisitor[];

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.answersJson(200, { client_secret: SECRET });
  const options = { vars: { SUBSCRIPTION_API_URL: upstream.url }, rateLimit: "as in production" } as const;
  sites = await Promise.all([startSite(options), startSite(options)]);
  visitors = sites.map((site) => siteVisitor(site));
});

beforeEach(enoughOfTheMinute, 30_000);

afterAll(async () => {
  await Promise.all(sites.map((site) => site.dispose()));
  upstream.dispose();
});

type Sent = Record<string, string>;

/** One person at the site: a network, a browser, one e-mail address. */
interface Person {
  open(): Promise<string>;
  send(form: Sent): Promise<Answer>;
}

const TEXT_BROWSER = { "Accept-Language": "en;q=1.0" };
const LYNX = {
  ...TEXT_BROWSER,
  "User-Agent": "Lynx/2.9.0dev.12 libwww-FM/2.14",
  Accept: "text/html, text/plain, */*;q=0.01",
};
const W3M = { ...TEXT_BROWSER, "User-Agent": "w3m/0.5.3+git20230121", Accept: "text/html, text/*;q=0.5, image/*" };
const HURRIED_MS = 300;
const UNHURRIED_MS = 2_100;

/** How people fill in the form. Each returns the answers to what they sent. */
const WAYS: Record<string, (person: Person) => Promise<Answer[]>> = {
  "a person who types": async (person) => {
    const form_nonce = await person.open();
    await sleep(UNHURRIED_MS);
    return [await person.send({ form_nonce })];
  },
  "autofill after 300 ms": async (person) => {
    const form_nonce = await person.open();
    await sleep(HURRIED_MS);
    return [await person.send({ form_nonce })];
  },
  "a browser driven at full speed": async (person) => [await person.send({ form_nonce: await person.open() })],
  "a password manager": async (person) => {
    const form_nonce = await person.open();
    await sleep(HURRIED_MS);
    const password = `${crypto.randomUUID()}A!`;
    return [await person.send({ form_nonce, password, confirmPassword: password })];
  },
  "a paste with white space around it": async (person) => {
    const form_nonce = await person.open();
    await sleep(UNHURRIED_MS);
    return [await person.send({ form_nonce, full_name: "  Ada Lovelace\t", phone: " +44 20 7946 0958 " })];
  },
  "a decoy that an extension fills in": async (person) => {
    const form_nonce = await person.open();
    await sleep(UNHURRIED_MS);
    return [await person.send({ form_nonce, website: "https://engines.example" })];
  },
  "a mistake, mended at full speed": async (person) => {
    const wrong = await person.send({ form_nonce: await person.open(), zipCode: "6" });
    return [await person.send({ form_nonce: nonceIn(wrong) })];
  },
  "back, and the same again": async (person) => {
    const form_nonce = await person.open();
    return [await person.send({ form_nonce }), await person.send({ form_nonce, city: "Shelbyville" })];
  },
  "two tabs": async (person) => {
    const nonces = [await person.open(), await person.open()];
    return Promise.all(nonces.map((form_nonce) => person.send({ form_nonce })));
  },
  "a double click": async (person) => {
    const form_nonce = await person.open();
    return Promise.all([person.send({ form_nonce }), person.send({ form_nonce })]);
  },
};

const PEOPLE = 1_000;
const AT_ONCE = 50;

test("a thousand forms as people send them are taken, none comes back [H20]", async () => {
  const ways = Object.entries(WAYS);
  const refused: string[] = [];
  const queue = Array.from({ length: PEOPLE }, (_, index) => index).values();
  const people = Array.from({ length: AT_ONCE }, async () => {
    for (const index of queue) {
      const [what = "", way] = ways[index % ways.length] ?? [];
      const answers = (await way?.(personAt(index))) ?? [];
      if (answers.some(({ status }) => status !== 303)) refused.push(`${what}: ${answers.map(({ status }) => status)}`);
    }
  });
  await Promise.all(people);
  expect(refused).toEqual([]);
  expect(sites.flatMap(({ logs }) => logs).filter(({ event }) => event === "signup_suspected")).toEqual([]);
  expect(upstream.calls.length).toBeGreaterThanOrEqual(PEOPLE);
}, 90_000);

/** Every seventh person has a text browser, which names no origin. */
function personAt(index: number): Person {
  const visitor = visitors[index % 2];
  if (!visitor) throw new Error("There is no site");
  const ip = { "CF-Connecting-IP": `198.${index % 40}.100.${1 + (index >> 2)}` };
  const browser = index % 7 === 0 ? (index % 2 === 0 ? LYNX : W3M) : undefined;
  return {
    open: async () => nonceIn(await visitor.get("/subscription", { ...ip, ...browser })),
    send: (form) => send(visitor, { email: `person-${index}@example.com`, ...form }, { ...ip, ...browser }, !browser),
  };
}

function send(visitor: SiteVisitor, form: Sent, headers: Sent, namesOrigin: boolean): Promise<Answer> {
  if (namesOrigin) return visitor.submit(form, headers);
  const body = new URLSearchParams({ ...fields, ...form }).toString();
  const length = String(Buffer.byteLength(body));
  const own = { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": length };
  return visitor.send("POST", "/subscription", { ...own, ...headers }, body);
}
