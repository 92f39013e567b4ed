import type { SendEmail } from "@cloudflare/workers-types";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { company } from "../../../../app/company";
import type { MailConfig } from "../../../../functions/subscription-api/config";
import { LOCAL_SECRETS } from "../../../../functions/subscription-api/local-development";
import { mailOver } from "../../../../functions/subscription-api/outbox/emails/email";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { SENDER } from "./message";
import { iso, ON_TRIAL, outboxOf } from "./outbox-of";

stopClock();

const COMPANY_NAME = 'Engines "& \\ Sons';
const AUTOMATIC = { "Auto-Submitted": "auto-generated" };
const CONTENT = { subject: "A subject", html: "<p>A text</p>", text: "A text" };
const sendEmail = (transport: MailConfig["transport"]) =>
  mailOver({ ...SENDER, companyName: COMPANY_NAME, transport }).send("a key", "ada@example.com", CONTENT);

test("an email over HTTP has its keys, the company's quoted name, ten seconds, and follows no redirect", async () => {
  const deadline = vi.spyOn(AbortSignal, "timeout");
  const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("{}"));
  const sent = await sendEmail({ kind: "http", url: "https://mail.example/emails", key: "re_1" });
  expect(sent).toEqual({ status: "sent" });
  expect(deadline.mock.calls).toEqual([[10_000]]);
  const signal = deadline.mock.results[0]?.value;
  const request = { method: "POST", redirect: "manual", signal };
  expect(fetched.mock.calls).toEqual([["https://mail.example/emails", expect.objectContaining(request)]]);
  const [, { headers, body } = {}] = fetched.mock.calls[0] ?? [];
  expect(Object.fromEntries(new Headers(headers))).toEqual({
    authorization: "Bearer re_1",
    "content-type": "application/json",
    "idempotency-key": "a key",
  });
  expect(JSON.parse(String(body))).toEqual({
    from: `"Engines \\"& \\\\ Sons" <${company.senderEmail}>`,
    to: ["ada@example.com"],
    reply_to: company.supportEmail,
    headers: AUTOMATIC,
    ...CONTENT,
  });
});

test("an email through Cloudflare's binding is in the company's name, and fails with a code or name", async () => {
  const send = vi.fn<(email: unknown) => Promise<void>>();
  const binding = z.custom<SendEmail>((value) => typeof value === "object").parse({ send });
  const sendBound = () => sendEmail({ kind: "cloudflare", binding });
  send.mockResolvedValueOnce();
  expect(await sendBound()).toEqual({ status: "sent" });
  expect(send).toHaveBeenCalledWith({
    from: { name: COMPANY_NAME, email: company.senderEmail },
    to: "ada@example.com",
    replyTo: company.supportEmail,
    headers: AUTOMATIC,
    ...CONTENT,
  });
  send.mockRejectedValueOnce(Object.assign(new Error("ada@example.com"), { code: "E_SUPPRESSED" }));
  expect(await sendBound()).toEqual({ status: "failed", reason: "E_SUPPRESSED" });
  send.mockRejectedValueOnce(new RangeError("ada@example.com"));
  expect(await sendBound()).toEqual({ status: "failed", reason: "RangeError" });
});

const SENT_BEFORE = '{ "name": "invalid_idempotent_request" }';
const BEING_SENT = '{ "name": "concurrent_idempotent_requests" }';
const NO_ANSWER = () => Promise.reject(new TypeError("fetch failed for ada@example.com"));

test.each([
  { what: "a 500", answer: { status: 500, text: "" }, email: "500", webhook: "500" },
  { what: "a 409, as sent before", answer: { status: 409, text: SENT_BEFORE }, email: "message_sent", webhook: "409" },
  { what: "a 400, as sent before", answer: { status: 400, text: SENT_BEFORE }, email: "400", webhook: "400" },
  { what: "a 409 while it is being sent", answer: { status: 409, text: BEING_SENT }, email: "409", webhook: "409" },
  { what: "a 409 that is not JSON", answer: { status: 409, text: "{" }, email: "409", webhook: "409" },
  { what: "no answer", answer: NO_ANSWER, email: "connection", webhook: "connection" },
])("after $what an email is logged with $email, and an account webhook with $webhook", async (row) => {
  const { dispatch, instead, logged } = await outboxOf(ON_TRIAL, "not-me-reported", "account-created");
  instead.set("POST http://localhost:8789/", row.answer);
  await dispatch();
  const outcomes = logged.map(({ kind, event, reason }) => [kind, reason ?? event]);
  expect(Object.fromEntries(outcomes)).toEqual({ "not-me-reported": row.email, "account-created": row.webhook });
});

test("account webhooks, in any order, are signed with their time, and each has the account as it is then", async () => {
  const { dispatch, add, change, id, received } = await outboxOf(ON_TRIAL);
  const signUp = await change(id, `package_id = '${validRequest.package_id}'`);
  const { email, password_hash, full_name, company_name, phone, address, city, state, zip_code, country } = signUp;
  const account = {
    id,
    status: "trialing",
    end_reason: null,
    ...{ email, email_verified: false, password_hash, full_name, company_name, phone },
    billing_address: { address, city, state, zip_code, country },
    package: { id: validRequest.package_id, name: "STANDARD" },
    trial_end: "2026-11-27T12:00:00.000Z",
    stripe_customer_id: "cus_1",
    stripe_subscription_id: null,
    created_at: iso(NOW),
  };
  const send = async (kind: "account-closed" | "email-verified" | "account-created", day: number) => {
    vi.setSystemTime(NOW + day * DAY);
    add(kind, `${kind}/1`);
    await dispatch();
    const { headers, body } = received().at(-1) ?? { headers: new Headers(), body: "" };
    expect(headers.get("webhook-id")).toBe(`${kind}/1`);
    return new Webhook(LOCAL_SECRETS.CONSOLE_WEBHOOK_SECRET).verify(body, Object.fromEntries(headers));
  };
  expect(await send("account-closed", 0)).toEqual({ type: "account.closed", timestamp: iso(NOW), data: account });

  const isEnded = { status: "canceled", end_reason: "not-me" };
  const data = { ...account, ...isEnded, email_verified: true, package: null, stripe_subscription_id: "sub_1" };
  await change(id, "email_verified_at = 'then', package_id = NULL, stripe_subscription_id = 'sub_1'");
  await change(id, "status = 'canceled', end_reason = 'not-me', updated_at = 'now'");
  const verified = { type: "account.email_verified", timestamp: iso(NOW + DAY), data };
  expect(await send("email-verified", 1)).toEqual(verified);
  expect(await send("account-created", 2)).toMatchObject({ type: "account.created" });
});
