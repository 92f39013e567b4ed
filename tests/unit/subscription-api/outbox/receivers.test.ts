import type { SendEmail } from "@cloudflare/workers-types";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { type AccountMessage, accountWebhookTo } from "../../../../functions/subscription-api/outbox/account-webhook";
import { mailOver } from "../../../../functions/subscription-api/outbox/emails/email";
import { MESSAGE } from "../../../support/api-in-process/message";
import { SENDER } from "../../../support/api-in-process/sender";

/** The provider's or the console's answer to the next request, and the request. */
function answers(answer: () => Response) {
  return vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer());
}

const SETTINGS = { ...SENDER, companyName: 'Engines "& \\ Sons' };
const content = { subject: "A subject", html: "<p>A text</p>", text: "A text" };

const overHttp = () =>
  mailOver({ ...SETTINGS, transport: { kind: "http", url: "https://mail.example/emails", key: "re_1" } }).send(
    "a key",
    "ada@example.com",
    content,
  );

test("an email goes to the provider with its API key and a quoted sender, and no redirect is followed [G11]", async () => {
  const sent = answers(() => new Response("{}"));
  expect(await overHttp()).toEqual({ status: "sent" });
  const [url, init] = sent.mock.calls[0] ?? [];
  expect(url).toBe("https://mail.example/emails");
  expect(init).toMatchObject({
    method: "POST",
    redirect: "manual",
    headers: { authorization: "Bearer re_1", "content-type": "application/json", "idempotency-key": "a key" },
  });
  expect(init?.signal).toBeInstanceOf(AbortSignal);
  expect(JSON.parse(String(init?.body))).toEqual({
    from: '"Engines \\"& \\\\ Sons" <hello@example.com>',
    to: ["ada@example.com"],
    reply_to: "support@example.com",
    ...content,
  });
});

test.each([
  ["a failure", () => new Response("", { status: 500 }), { status: "failed", reason: "500" }],
  ["a redirect", () => new Response(null, { status: 302 }), { status: "failed", reason: "302" }],
  [
    "a repeat with another text",
    () => Response.json({ name: "invalid_idempotent_request" }, { status: 409 }),
    { status: "sent" },
  ],
  [
    "the same with another status",
    () => Response.json({ name: "invalid_idempotent_request" }, { status: 400 }),
    { status: "failed", reason: "400" },
  ],
  [
    "another conflict",
    () => Response.json({ name: "concurrent_idempotent_requests" }, { status: 409 }),
    { status: "failed", reason: "409" },
  ],
  ["a conflict without a name", () => new Response("{", { status: 409 }), { status: "failed", reason: "409" }],
  [
    "no connection",
    () => {
      throw new TypeError("fetch failed for ada@example.com");
    },
    { status: "failed", reason: "TypeError" },
  ],
])("the email provider's response decides: %s", async (_, answer, outcome) => {
  answers(answer);
  expect(await overHttp()).toEqual(outcome);
});

test("an email through Cloudflare's binding fails with a code, never a message [F6]", async () => {
  const binding = z.custom<SendEmail>((value) => typeof value === "object");
  const send = vi.fn(async (_: unknown) => {});
  const over = mailOver({ ...SETTINGS, transport: { kind: "cloudflare", binding: binding.parse({ send }) } });
  expect(await over.send("a key", "ada@example.com", content)).toEqual({ status: "sent" });
  const from = { name: SETTINGS.companyName, email: "hello@example.com" };
  expect(send).toHaveBeenCalledWith({ from, to: "ada@example.com", replyTo: "support@example.com", ...content });
  for (const [thrown, reason] of [
    [Object.assign(new Error("ada@example.com"), { code: "E_SUPPRESSED" }), "E_SUPPRESSED"],
    [new RangeError("ada@example.com"), "RangeError"],
    ["ada@example.com", "string"],
  ]) {
    send.mockRejectedValueOnce(thrown);
    expect(await over.send("a key", "ada@example.com", content)).toEqual({ status: "failed", reason });
  }
});

const SECRET = `whsec_${Buffer.from("a-secret-of-the-console-of-the-tests").toString("base64")}`;
const account: AccountMessage = { ...MESSAGE, kind: "account-created", key: "account-created/1" };
const toConsole = (message: AccountMessage) =>
  accountWebhookTo({ url: "https://console.example/hook", secret: SECRET }).send(message);

test("the console receives an account as a Standard Webhook, verified with the scheme's own package [S15] [G11]", async () => {
  const sent = answers(() => new Response("{}"));
  expect(await toConsole(account)).toEqual({ status: "sent" });
  const [url, init] = sent.mock.calls[0] ?? [];
  expect([url, init?.method, init?.redirect]).toEqual(["https://console.example/hook", "POST", "manual"]);
  const headers = Object.fromEntries(new Headers(init?.headers));
  expect(headers).toMatchObject({ "content-type": "application/json", "webhook-id": "account-created/1" });
  expect(new Webhook(SECRET).verify(String(init?.body), headers)).toEqual({
    type: "account.created",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: {
      id: "1",
      status: "trialing",
      end_reason: null,
      email: "ada@example.com",
      email_verified: false,
      password_hash: "a hash",
      full_name: "Ada",
      company_name: "Engines",
      phone: "2125550123",
      billing_address: {
        address: "12 St James's Square",
        city: "New York",
        state: "NY",
        zip_code: "10001",
        country: "US",
      },
      package: { id: "an-id", name: "STANDARD" },
      trial_end: "2026-11-27T14:30:00.000Z",
      stripe_customer_id: "cus_1",
      stripe_subscription_id: "sub_1",
      created_at: "2026-11-22T09:05:00.000Z",
    },
  });
});

test.each([
  ["account-created", "account.created"],
  ["email-verified", "account.email_verified"],
  ["account-closed", "account.closed"],
] as const)("the console receives %s as %s", async (kind, type) => {
  const sent = answers(() => new Response("{}"));
  await toConsole({ ...account, kind, package_id: null, email_verified_at: "2026-11-22T09:05:00.000Z" });
  const body: unknown = JSON.parse(String(sent.mock.calls[0]?.[1]?.body));
  expect(body).toMatchObject({ type, data: { package: null, email_verified: true } });
});

test("a webhook that the console refuses or never receives has failed", async () => {
  answers(() => new Response("", { status: 410 }));
  expect(await toConsole(account)).toEqual({ status: "failed", reason: "410" });
  answers(() => {
    throw new TypeError("fetch failed");
  });
  expect(await toConsole(account)).toEqual({ status: "failed", reason: "TypeError" });
});
