import { expect, test } from "vitest";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";
import { refusal } from "../../../support/api-in-process/stripe-model";

/** A trial that has begun, and the links of its email. */
async function onTrial() {
  const world = signUpsInProcess();
  const { services, ask, settled, find, rows } = world;
  const { id } = await world.onTrial();
  const inAnHour = new Date(Date.now() + 60 * 60_000);
  return {
    ...world,
    verify: await services.links.urlOf("verify-email", id, inAnHour),
    notMe: await services.links.urlOf("not-me", id, inAnHour),
    async open(url: string, method = "GET") {
      const { status, headers, ...answer } = await ask(url, { method }).then(async (response) => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }));
      await settled();
      return { status, headers, ...answer };
    },
    row: () => find(id),
    webhooks: () => rows("SELECT kind, state FROM outbox WHERE kind LIKE 'email-%' OR kind = 'account-closed'"),
  };
}

const CONFIRMED = { status: 200, text: expect.stringContaining("Your email address is confirmed") };
const ENDED = { status: 200, text: expect.stringContaining("This sign-up has ended") };
const SENT = "sent";

test("one click confirms the address and informs the console once; a link scanner confirms nothing [H4]", async () => {
  const { verify, open, row, webhooks } = await onTrial();
  expect((await open(verify, "HEAD")).status).toBe(200);
  expect(await row()).toMatchObject({ email_verified_at: null });
  for (const _ of [1, 2]) expect(await open(verify)).toMatchObject(CONFIRMED);
  expect(await row()).toMatchObject({ status: "trialing", email_verified_at: expect.any(String) });
  expect(webhooks()).toEqual([{ kind: "email-verified", state: SENT }]);
});

test('"This wasn\'t me" asks first, then ends the sign-up, of which no link can confirm the address any more [H4] [F6]', async () => {
  const { verify, notMe, open, row, webhooks, logged } = await onTrial();
  expect((await open(notMe)).text).toContain(
    '<form method="post"><button type="submit">End this sign-up</button></form>',
  );
  expect(await row()).toMatchObject({ status: "trialing" });
  for (const _ of [1, 2]) expect(await open(notMe, "POST")).toMatchObject(ENDED);
  expect(await row()).toMatchObject({ status: "canceled", end_reason: "not-me" });
  expect(webhooks()).toEqual([{ kind: "account-closed", state: SENT }]);
  for (const link of [verify, notMe]) expect(await open(link)).toMatchObject(ENDED);
  expect(await row()).toMatchObject({ email_verified_at: null });
  expect(JSON.stringify(logged)).not.toMatch(/eyJ|@|Lovelace/);
});

test.each(["DELETE subscriptions", "POST payment_methods"])(
  "the page says so when Stripe refuses %s, and the next press ends the sign-up [H4]",
  async (call) => {
    const { notMe, open, row, instead } = await onTrial();
    instead.set(call, refusal(429, "rate_limit"));
    const failed = await open(notMe, "POST");
    expect(failed).toMatchObject({ status: 503, text: expect.stringContaining("Something went wrong") });
    expect(failed.headers.get("retry-after")).toBe("60");
    expect(await row()).toMatchObject({ end_reason: null });
    instead.clear();
    expect(await open(notMe, "POST")).toMatchObject(ENDED);
    expect(await row()).toMatchObject({ status: "canceled", end_reason: "not-me" });
  },
);

test("the link pages have no script and a strict policy, and are neither cached nor indexed [H4]", async () => {
  const { verify, notMe, open } = await onTrial();
  for (const page of [await open(notMe), await open(verify), await open("/links/not-me/nothing")]) {
    const policy = page.headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'.*form-action 'self'.*base-uri 'none'.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe|script-src/);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": expect.stringContaining("text/html"),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex",
    });
    expect(page.text).not.toContain("<script");
    expect(page.text).toContain('<html lang="en">');
    expect(page.text.match(/<h1>/g)).toHaveLength(1);
    expect(page.text).toContain("mailto:support@citewell.example");
  }
});

test("a token for another purpose, for no sign-up or from a stranger only adds a log line [H4] [G12]", async () => {
  const { verify, notMe, open, row, services, logged } = await onTrial();
  const tokenOf = (url: string) => url.split("/").at(-1);
  const nobody = await services.links.urlOf("not-me", crypto.randomUUID(), new Date(Date.now() + 60_000));
  const paths = [
    ...[tokenOf(verify), tokenOf(nobody), "%00", "x".repeat(4000)].map((token) => `/links/not-me/${token}`),
    `/links/verify-email/${tokenOf(notMe)}`,
    `/subscription/status/${tokenOf(notMe)}`,
  ];
  for (const path of paths) expect((await open(path)).status, path).toBe(404);
  expect((await open(paths[0] ?? "", "POST")).status).toBe(404);
  expect(logged.filter(({ event }) => event === "link_refused")).toHaveLength(paths.length + 1);
  expect(await row()).toMatchObject({ status: "trialing", email_verified_at: null });
});
