import { expect, test, vi } from "vitest";
import { company } from "../../../../app/company";
import { type LinkPurpose, signedLinks } from "../../../../functions/subscription-api/signed-links";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DAY } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { configurationOf } from "../sign-ups/sign-ups";

stopClock();

const ENDED = "This sign-up has ended";

/** A trial that has begun, and links for it. */
async function onTrial() {
  const api = apiInProcess();
  const id = await api.onTrial();
  const links = signedLinks(configurationOf(api.env).links);
  return {
    ...api,
    linkTo: (purpose: LinkPurpose, signUpId = id) => links.urlOf(purpose, signUpId, new Date(NOW + DAY)),
    async open(url: string, method = "GET") {
      const response = await api.ask(url, { method });
      await api.settled();
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    row: () => api.rows("SELECT status, end_reason, email_verified_at FROM sign_ups")[0],
    told: (kind: string) => api.rows("SELECT state FROM outbox WHERE kind = ?", kind),
  };
}

test("one click confirms the address and notifies the console once; a link scanner's HEAD confirms nothing", async () => {
  const { linkTo, open, row, told } = await onTrial();
  const url = linkTo("verify-email");
  expect((await open(url, "HEAD")).status).toBe(200);
  expect(row()).toMatchObject({ email_verified_at: null });
  for (const _ of [1, 2]) expect((await open(url)).text).toContain("Your email address is confirmed");
  expect(row()).toMatchObject({ status: "trialing", email_verified_at: expect.any(String) });
  expect(told("email-verified")).toEqual([{ state: "sent" }]);
});

test('"This wasn\'t me" asks first, then ends the sign-up; no link works for it any more', async () => {
  const { linkTo, open, row, told } = await onTrial();
  const [notMe, verify] = [linkTo("not-me"), linkTo("verify-email")];
  expect((await open(notMe)).text).toContain(
    '<form method="post"><button type="submit">End this sign-up</button></form>',
  );
  expect(row()).toMatchObject({ status: "trialing" });
  for (const _ of [1, 2]) expect((await open(notMe, "POST")).text).toContain(ENDED);
  expect(row()).toMatchObject({ status: "canceled", end_reason: "not-me" });
  expect(told("account-closed")).toEqual([{ state: "sent" }]);
  for (const url of [notMe, verify]) expect((await open(url)).text).toContain(ENDED);
  expect(row()).toMatchObject({ email_verified_at: null });
});

const CHARGED = "If the card was charged, our support team will look at the charge and write to you.";
const OVER = "trial_end = '2020-01-01T00:00:00.000Z', email_verified_at = '2020-01-01T00:00:00.000Z'";

test.each([
  ["during the trial", "end_reason = NULL", false, true],
  ["after it, with a confirmed address,", OVER, true, false],
])("the pages of a report %s mention a charge and a free address", async (_, set, isCharged, isFree) => {
  const { linkTo, open, rows } = await onTrial();
  rows(`UPDATE sign_ups SET ${set}`);
  const [asks, ended] = [await open(linkTo("not-me")), await open(linkTo("not-me"), "POST")];
  expect([asks, ended].map(({ text }) => text.includes(CHARGED))).toEqual([isCharged, isCharged]);
  expect(ended.text.includes("You can use your email address to sign up at any time.")).toBe(isFree);
});

test("the page says so while Stripe fails, and the next press ends the sign-up", async () => {
  const { linkTo, open, row, model } = await onTrial();
  const url = linkTo("not-me");
  const refuse = vi.spyOn(model, "request").mockReturnValue(refusal(429, "rate_limit"));
  expect(await open(url, "POST")).toMatchObject({ status: 503, text: expect.stringContaining("Something went wrong") });
  expect(row()).toMatchObject({ end_reason: null });
  refuse.mockRestore();
  expect((await open(url, "POST")).text).toContain(ENDED);
});

test("a token opens only the page of its purpose, for a sign-up that exists", async () => {
  const { linkTo, open, row, logged } = await onTrial();
  const tokenOf = (purpose: LinkPurpose, of?: string) => linkTo(purpose, of).replace(/^.*\//, "");
  const verify = tokenOf("verify-email");
  const refused = [
    `/links/not-me/${verify}`,
    `/subscription/status/${verify}`,
    `/links/verify-email/${tokenOf("not-me")}`,
    `/links/verify-email/${tokenOf("verify-email", crypto.randomUUID())}`,
    "/links/not-me/%00",
  ];
  for (const path of refused) expect((await open(path)).status, path).toBe(404);
  expect(logged.filter(({ event }) => event === "link_refused")).toHaveLength(refused.length);
  expect(row()).toMatchObject({ status: "trialing", email_verified_at: null });
});

test("a token has 43 characters and works to its last second, also for the old secret, never changed", () => {
  const [id, expires] = ["6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01", new Date(NOW + 1000)];
  const linksOf = (...secrets: string[]) => signedLinks({ publicUrl: "https://api.example", secrets });
  const old = linksOf("the-old-secret");
  const token = old.urlOf("status", id, expires).replace("https://api.example/subscription/status/", "");
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(linksOf("the-new-secret", "the-old-secret").read("status", token)).toBe(id);
  expect(linksOf("the-new-secret").read("status", token)).toBeUndefined();
  const refused = ["", "x", token.slice(1), `${token}${token}`, "x".repeat(4000)];
  const bytes = Buffer.from(token, "base64url");
  for (const [at, byte] of bytes.entries())
    for (let bit = 1; bit < 256; bit *= 2) refused.push(Buffer.from(bytes.with(at, byte ^ bit)).toString("base64url"));
  for (const other of refused) expect(old.read("status", other), other).toBeUndefined();
  vi.setSystemTime(expires.getTime() - 1);
  expect(old.read("status", token)).toBe(id);
  vi.setSystemTime(expires);
  expect(old.read("status", token)).toBeUndefined();
});

test("the pages have no script and a strict policy, and are neither cached nor indexed", async () => {
  const { linkTo, open } = await onTrial();
  const policy = /^default-src 'none'; style-src 'sha\S+; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/;
  for (const url of [linkTo("not-me"), linkTo("verify-email"), "/links/not-me/nothing"]) {
    const { headers, text } = await open(url);
    expect(Object.fromEntries(headers)).toMatchObject({
      ...{ "content-security-policy": expect.stringMatching(policy), "x-frame-options": "DENY" },
      ...{ "cache-control": "no-store", "referrer-policy": "no-referrer", "x-robots-tag": "noindex" },
    });
    expect(text).not.toContain("<script");
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).toContain(`mailto:${company.supportEmail}`);
  }
});
