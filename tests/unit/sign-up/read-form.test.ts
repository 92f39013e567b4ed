import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readForm } from "../../../app/signup/server/form/posted-form.server";
import { fields } from "../../support/person";
import { bodyOf } from "../../support/site-in-process/body-of";
import { countingLimiter, post, siteContext } from "../../support/site-in-process/site-context";

/* A posted form before the API gets it: what is read of its body, and Turnstile's check if its network is over its limit. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const KIB = 1024;
const x = (length: number) => "x".repeat(length);

interface Body {
  body: string;
  type?: string;
  end?: Parameters<typeof bodyOf>[1];
}

function read({ body, type = "application/x-www-form-urlencoded", end = "ends" }: Body) {
  const init = {
    method: "POST",
    headers: { "Content-Type": type },
    body: bodyOf([body.slice(0, 5), body.slice(5)], end).response.body,
    duplex: "half",
  };
  return readForm(new Request("https://www.example/", init));
}

const MULTIPART = "multipart/form-data; boundary=b";
const part = (name: string, value: string, more = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const END = "--b--\r\n";

const long = (length: number) => `email=a&state=${x(256)}&city=${x(257)}&country=b&more=${x(length)}&zipCode=1`;
const short = { email: "a", state: x(256), country: "b" };

test.each<Body & { name: string; status?: number; fields?: object }>([
  {
    name: "32 fields, of which unknown ones may repeat",
    body: `city=1&state=&__proto__.x=1&__proto__=1&city[0]=1&c=2&c=3${"&x".repeat(25)}`,
    fields: { city: "1", state: "" },
  },
  { name: "33 fields", body: `city=1${"&x".repeat(32)}`, status: 400 },
  { name: "a field twice", body: "city=&state=2&city=1", status: 400 },
  { name: "a body that breaks off", body: "city=1", end: "breaks off", status: 400 },
  { name: "16 KiB", body: `city=${x(16 * KIB - 5)}`, fields: { city: x(16 * KIB - 5) } },
  { name: "a byte more than 16 KiB", body: `city=${x(16 * KIB - 4)}`, status: 413 },
  { name: "fields up to 256 characters", body: long(16 * KIB), status: 413, fields: { ...short, zipCode: "1" } },
  { name: "the first 256 KiB", body: long(256 * KIB), status: 413, fields: short },
  {
    name: "multipart with 32 fields",
    type: MULTIPART,
    body: part("city", "é&=+%41\r\n2") + part("x", "").repeat(31) + END,
    fields: { city: "é&=+%41\r\n2" },
  },
  { name: "multipart with 33 fields", type: MULTIPART, body: part("x", "").repeat(33) + END, status: 400 },
  { name: "a file", type: MULTIPART, body: part("c", "1", '; filename="a.txt"') + END, status: 415 },
  { name: "multipart that is cut", type: MULTIPART, body: part("city", "1").slice(0, 30), status: 400 },
])("of a body, the known fields are read or returned, or it is refused: $name", async (row) => {
  const { fields, problem } = await read(row);
  expect({ fields, status: problem?.status }).toEqual({ fields: row.fields ?? {}, status: row.status });
  expect(vi.getTimerCount(), "timers that are left").toBe(0);
});

test("a body that never ends is waited for ten seconds", async () => {
  const settled = vi.fn();
  const work = read({ body: "city=x", end: "stalls" }).then(({ problem }) => settled(problem?.status));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await work;
  expect(settled).toHaveBeenCalledWith(408);
});

const KEYS = { TURNSTILE_SITE_KEY: "a-site-key-of-turnstile", TURNSTILE_SECRET_KEY: "a-secret-key-of-turnstile" };
const refuses = (code: string) => () => Response.json({ success: false, "error-codes": [code] });

interface Visit {
  /** How many forms its network may send. */
  limit?: number;
  keys?: object;
  token?: string;
  turnstile?: () => Response | Promise<Response>;
}

async function submit({ limit = 0, keys = KEYS, token = "a-token", turnstile }: Visit) {
  const [sender, network] = [countingLimiter(), countingLimiter(limit)];
  const site = siteContext({ ...keys, SIGNUP_RATE_LIMIT: sender, SIGNUP_NETWORK_RATE_LIMIT: network });
  if (turnstile) site.turnstileCalls.answer = turnstile;
  const answer = await post(site, { ...fields, "cf-turnstile-response": token });
  return { ...answer, site, sender, network, asked: site.turnstileCalls.asked };
}

test("a sender and its network are counted apart, and a form within their limits passes unasked", async () => {
  const answer = await submit({ limit: 1, token: "" });
  expect(answer).toHaveStatus(303);
  expect(answer).toMatchObject({ sender: { keys: ["192.0.2.7"] }, network: { keys: ["192.0.2.0/24"] }, asked: [] });
});

test("a form of a network over its limit is refused where Turnstile has no keys", async () => {
  const answer = await submit({ keys: {} });
  expect(answer).toHaveStatus(429);
  expect(answer).toShowNotice("Submission Failed");
  expect(answer.reply?.challenge).toBeUndefined();
  expect(answer.site.logged).toEqual([["request", { outcome: "refused", reason: "Too many requests" }]]);
});

test.each<Visit & { name: string; asked: number }>([
  { name: "no token", token: "", asked: 0 },
  { name: "a token that is too long for Turnstile", token: x(2049), asked: 0 },
  { name: "a token that failed", turnstile: refuses("invalid-input-response"), asked: 1 },
  { name: "a token that was used before", turnstile: refuses("timeout-or-duplicate"), asked: 1 },
])("a form with $name is asked for another, and not sent", async ({ asked, ...visit }) => {
  const answer = await submit(visit);
  expect(answer).toHaveStatus(429);
  expect(answer).toHaveHeader("Retry-After", "60");
  expect(answer).toShowNotice("One more step");
  expect(answer.reply?.challenge).toBe(KEYS.TURNSTILE_SITE_KEY);
  expect(answer.site.logged).toEqual([["signup_challenged", undefined]]);
  expect(answer.site.api.calls).toEqual([]);
  expect(answer.asked).toHaveLength(asked);
});

const WRONG_KEY = "invalid-input-secret";

test.each<{ name: string; turnstile?: () => Response | Promise<Response>; logs?: object }>([
  { name: "takes its token" },
  { name: "has wrong keys", turnstile: refuses(WRONG_KEY), logs: { cause: "answer", codes: [WRONG_KEY] } },
  {
    name: "does not answer in time",
    turnstile: () => Promise.reject(new DOMException("late", "TimeoutError")),
    logs: { cause: "deadline" },
  },
  {
    name: "answers with an error's page",
    turnstile: () => new Response("<html>", { status: 500 }),
    logs: { cause: "status", status: 500 },
  },
])("a form passes if Turnstile $name, which gets the token alone, for three seconds at most", async (row) => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const answer = await submit({ token: x(2048), ...(row.turnstile && { turnstile: row.turnstile }) });
  expect(answer).toHaveStatus(303);
  const failed = row.logs ? [["turnstile_failed", row.logs]] : [];
  expect(answer.site.logged).toEqual([...failed, ["request", { signup: "created" }]]);
  const sent = new URLSearchParams({ secret: KEYS.TURNSTILE_SECRET_KEY, response: x(2048) });
  expect(answer.asked).toEqual([sent.toString()]);
  expect(vi.mocked(fetch).mock.lastCall?.[1]?.redirect).toBe("manual");
  expect(timeout.mock.calls.flat()).toContain(3_000);
});
