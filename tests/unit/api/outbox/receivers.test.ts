import type { SendEmail } from "@cloudflare/workers-types";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { company } from "../../../../app/company";
import type { MailConfig } from "../../../../functions/subscription-api/config";
import { type AccountMessage, accountWebhookTo } from "../../../../functions/subscription-api/outbox/account-webhook";
import { mailOver } from "../../../../functions/subscription-api/outbox/emails/email";
import type { Message } from "../../../../functions/subscription-api/outbox/outbox";
import { MESSAGE, SENDER } from "./message";

/** The receiver's answer to the next request, and the request. */
const answers = (answer: () => Response) => vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer());

const SETTINGS = { ...SENDER, companyName: 'Engines "& \\ Sons' };
const content = { subject: "A subject", html: "<p>A text</p>", text: "A text" };
const mailBy = (transport: MailConfig["transport"]) => () =>
  mailOver({ ...SETTINGS, transport }).send("a key", "ada@example.com", content);
const overHttp = mailBy({ kind: "http", url: "https://mail.example/emails", key: "re_1" });

const SECRET = `whsec_${Buffer.from("a-secret-of-the-console-of-the-tests").toString("base64")}`;
const account: AccountMessage = { ...MESSAGE, kind: "account-created", key: "account-created/1" };
const toConsole = (message: AccountMessage = account) =>
  accountWebhookTo({ url: "https://console.example/hook", secret: SECRET }).send(message);

test("an email goes to the provider with its key and a quoted sender, and no redirect is followed", async () => {
  const sent = answers(() => new Response("{}"));
  expect(await overHttp()).toEqual({ status: "sent" });
  const [url, init] = sent.mock.calls[0] ?? [];
  expect(url).toBe("https://mail.example/emails");
  const headers = { authorization: "Bearer re_1", "content-type": "application/json", "idempotency-key": "a key" };
  expect(init).toMatchObject({ method: "POST", redirect: "manual", headers, signal: expect.any(AbortSignal) });
  const from = `"Engines \\"& \\\\ Sons" <${company.senderEmail}>`;
  const expected = { from, to: ["ada@example.com"], reply_to: company.supportEmail, ...content };
  expect(JSON.parse(String(init?.body))).toEqual(expected);
});

const failed = (reason: string) => ({ status: "failed", reason });
const noConnection = () => {
  throw new TypeError("fetch failed for ada@example.com");
};
const conflict = (name: string, status = 409) => Response.json({ name }, { status });

test.each<[string, () => Response, object]>([
  ["a failure", () => new Response("", { status: 500 }), failed("500")],
  ["a redirect", () => new Response(null, { status: 302 }), failed("302")],
  ["a repetition with another text", () => conflict("invalid_idempotent_request"), { status: "sent" }],
  ["the same with another status", () => conflict("invalid_idempotent_request", 400), failed("400")],
  ["another conflict", () => conflict("concurrent_idempotent_requests"), failed("409")],
  ["a conflict without a name", () => new Response("{", { status: 409 }), failed("409")],
  ["no connection", noConnection, failed("TypeError")],
])("the receiver's answer decides whether an email or a webhook was sent: %s", async (what, answer, outcome) => {
  answers(answer);
  expect(await overHttp()).toEqual(outcome);
  expect(await toConsole()).toEqual(what.startsWith("a repetition") ? failed("409") : outcome);
});

test("an email through Cloudflare's binding fails with a code, never with a message", async () => {
  const send = vi.fn(async (_: unknown) => {});
  const binding = z.custom<SendEmail>((value) => typeof value === "object").parse({ send });
  const overBinding = mailBy({ kind: "cloudflare", binding });
  expect(await overBinding()).toEqual({ status: "sent" });
  const from = { name: SETTINGS.companyName, email: company.senderEmail };
  expect(send).toHaveBeenCalledWith({ from, to: "ada@example.com", replyTo: company.supportEmail, ...content });
  send.mockRejectedValueOnce(Object.assign(new Error("ada@example.com"), { code: "E_SUPPRESSED" }));
  expect(await overBinding()).toEqual(failed("E_SUPPRESSED"));
  send.mockRejectedValueOnce(new RangeError("ada@example.com"));
  expect(await overBinding()).toEqual(failed("RangeError"));
});

const CONFIRMED = { package_id: null, email_verified_at: "2026-11-22T09:05:00.000Z" };
const own = (...names: (keyof Message)[]) => Object.fromEntries(names.map((name) => [name, MESSAGE[name]]));
const ACCOUNT = {
  ...own("id", "status", "end_reason", "email", "password_hash", "full_name", "company_name", "phone", "trial_end"),
  ...own("stripe_customer_id", "stripe_subscription_id", "created_at"),
  billing_address: own("address", "city", "state", "zip_code", "country"),
  ...{ email_verified: false, package: { id: "an-id", name: "STANDARD" } },
};

test.each<[AccountMessage["kind"], string, Partial<AccountMessage>, object]>([
  ["account-created", "account.created", {}, ACCOUNT],
  ["email-verified", "account.email_verified", CONFIRMED, { ...ACCOUNT, package: null, email_verified: true }],
  ["account-closed", "account.closed", { end_reason: "not-me" }, { ...ACCOUNT, end_reason: "not-me" }],
])("the console gets %s as a Standard Webhook of type %s, signed", async (kind, type, change, data) => {
  const sent = answers(() => new Response("{}"));
  expect(await toConsole({ ...account, kind, ...change })).toEqual({ status: "sent" });
  const [url, init] = sent.mock.calls[0] ?? [];
  expect([url, init?.method, init?.redirect]).toEqual(["https://console.example/hook", "POST", "manual"]);
  const headers = Object.fromEntries(new Headers(init?.headers));
  expect(headers).toMatchObject({ "content-type": "application/json", "webhook-id": "account-created/1" });
  const body = new Webhook(SECRET).verify(String(init?.body), headers);
  expect(body).toEqual({ type, timestamp: expect.stringMatching(/^\d{4}-.*Z$/), data });
});
