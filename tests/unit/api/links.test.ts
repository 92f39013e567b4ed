import { expect, test, vi } from "vitest";
import { readConfig } from "../../../functions/subscription-api/config";
import { type LinkPurpose, signedLinks } from "../../../functions/subscription-api/signed-links";
import { apiInProcess } from "../../support/api-in-process/api";
import { refusal } from "../../support/api-in-process/stripe-model";

const DAY = 24 * 60 * 60_000;
const CONFIRMED = "Your email address is confirmed";
const ENDED = "This sign-up has ended";
const ASKS = '<form method="post"><button type="submit">End this sign-up</button></form>';

/** A trial that has begun, and links for it. */
async function onTrial() {
  const api = apiInProcess();
  const id = await api.onTrial();
  const config = readConfig({ ...api.env });
  if (config.status === "invalid") throw new Error("The settings of the tests are not valid");
  const links = signedLinks(config.configuration.links);
  return {
    ...api,
    id,
    links,
    linkTo: (purpose: LinkPurpose, signUpId = id, lifetime = DAY) =>
      links.urlOf(purpose, signUpId, new Date(Date.now() + lifetime)),
    async open(url: string, method = "GET") {
      const response = await api.ask(url, { method });
      await api.settled();
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    row: () => api.rows("SELECT status, end_reason, email_verified_at FROM sign_ups")[0],
    told: (kind: string) => api.rows("SELECT state FROM outbox WHERE kind = ?", kind),
  };
}

test("one click confirms the address and tells the console once; a link scanner's HEAD confirms nothing", async () => {
  const { linkTo, open, row, told } = await onTrial();
  const url = await linkTo("verify-email");
  expect((await open(url, "HEAD")).status).toBe(200);
  expect(row()).toMatchObject({ email_verified_at: null });
  for (const _ of [1, 2])
    expect(await open(url)).toMatchObject({ status: 200, text: expect.stringContaining(CONFIRMED) });
  expect(row()).toMatchObject({ status: "trialing", email_verified_at: expect.any(String) });
  expect(told("email-verified")).toEqual([{ state: "sent" }]);
});

test('"This wasn\'t me" asks first, then ends the sign-up; no link works for it any more', async () => {
  const { linkTo, open, row, told } = await onTrial();
  const [notMe, verify] = [await linkTo("not-me"), await linkTo("verify-email")];
  expect((await open(notMe)).text).toContain(ASKS);
  expect(row()).toMatchObject({ status: "trialing" });
  for (const _ of [1, 2]) expect((await open(notMe, "POST")).text).toContain(ENDED);
  expect(row()).toMatchObject({ status: "canceled", end_reason: "not-me" });
  expect(told("account-closed")).toEqual([{ state: "sent" }]);
  for (const url of [notMe, verify]) expect((await open(url)).text).toContain(ENDED);
  expect(row()).toMatchObject({ email_verified_at: null });
});

test("the page says so while Stripe fails, and the next press ends the sign-up", async () => {
  const { linkTo, open, row, model } = await onTrial();
  const url = await linkTo("not-me");
  const refuse = vi.spyOn(model, "request").mockReturnValue(refusal(429, "rate_limit"));
  expect(await open(url, "POST")).toMatchObject({ status: 503, text: expect.stringContaining("Something went wrong") });
  expect(row()).toMatchObject({ end_reason: null });
  refuse.mockRestore();
  expect((await open(url, "POST")).text).toContain(ENDED);
});

test("a token opens only the page of its purpose, until it expires, for a sign-up that exists", async () => {
  const { linkTo, open, row, logged, links } = await onTrial();
  const tokenOf = async (...given: Parameters<typeof linkTo>) => (await linkTo(...given)).split("/").at(-1) ?? "";
  const verify = await tokenOf("verify-email");
  const refused = [
    `/links/not-me/${verify}`,
    `/subscription/status/${verify}`,
    `/links/verify-email/${await tokenOf("not-me")}`,
    `/links/verify-email/${await tokenOf("verify-email", crypto.randomUUID())}`,
    `/links/verify-email/${await tokenOf("verify-email", undefined, -1000)}`,
    `/links/verify-email/${verify.slice(0, -2)}`,
    `/links/not-me/${"x".repeat(4000)}`,
    "/links/not-me/%00",
  ];
  for (const path of refused) expect((await open(path)).status, path).toBe(404);
  expect(logged.filter(({ event }) => event === "link_refused")).toHaveLength(refused.length);
  expect(row()).toMatchObject({ status: "trialing", email_verified_at: null });
  // While the secret is changed, the old one still verifies.
  const old = "signs-links-in-local-development-only";
  const rotated = signedLinks({ publicUrl: "https://api.example", secrets: ["a-new-secret-of-links", old] });
  expect(await rotated.read("verify-email", verify)).toBe(await links.read("verify-email", verify));
});

test("the pages have no script and a strict policy, and are neither cached nor indexed", async () => {
  const { linkTo, open } = await onTrial();
  for (const url of [await linkTo("not-me"), await linkTo("verify-email"), "/links/not-me/nothing"]) {
    const { headers, text } = await open(url);
    const policy = headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'.*form-action 'self'.*base-uri 'none'.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe|script-src/);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex",
    });
    expect(text).not.toContain("<script");
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).toContain("mailto:support@citewell.example");
  }
});
