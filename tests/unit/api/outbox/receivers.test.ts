import type { SendEmail } from "@cloudflare/workers-types";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { company } from "../../../../app/company";
import type { MailConfig } from "../../../../functions/subscription-api/config";
import { type AccountMessage, accountWebhookTo } from "../../../../functions/subscription-api/outbox/account-webhook";
import { mailOver } from "../../../../functions/subscription-api/outbox/emails/email";
import type { SendOutcome } from "../../../../functions/subscription-api/outbox/outbox";
import { NOW, stopClock } from "../../../support/clock";
import { MESSAGE, SENDER } from "./message";

/* Requests to the receivers of messages, and the answers that count as delivered. */

stopClock();

/** The receiver's answer to each request. Returns the requests that it got. */
function receiverAnswers(answer: () => Response): Request[] {
  const requests: Request[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    requests.push(new Request(url, init));
    return answer();
  });
  return requests;
}

const accepts = () => new Response("{}");

/** The only request that a receiver got. */
function onlyOne(requests: Request[]): Request {
  const [request] = requests;
  if (!request || requests.length > 1) throw new Error(`Expected one request, but the receiver got ${requests.length}`);
  return request;
}

const COMPANY_NAME = 'Engines "& \\ Sons';
const CONTENT = { subject: "A subject", html: "<p>A text</p>", text: "A text" };
const emailOver = (transport: MailConfig["transport"]) =>
  mailOver({ ...SENDER, companyName: COMPANY_NAME, transport }).send("a key", "ada@example.com", CONTENT);
const emailOverHttp = () => emailOver({ kind: "http", url: "https://mail.example/emails", key: "re_1" });

const SECRET = `whsec_${Buffer.from("a-secret-of-the-console-of-the-tests").toString("base64")}`;
const CREATED: AccountMessage = { ...MESSAGE, kind: "account-created", key: "account-created/1" };
const webhookFor = (message: AccountMessage = CREATED) =>
  accountWebhookTo({ url: "https://console.example/hook", secret: SECRET }).send(message);

const SENT: SendOutcome = { status: "sent" };
const failed = (reason: string): SendOutcome => ({ status: "failed", reason });

describe("an email over HTTP", () => {
  test("is sent to the provider with the provider's key and the message's own", async () => {
    const requests = receiverAnswers(accepts);
    expect(await emailOverHttp()).toEqual(SENT);
    const { method, url, headers } = onlyOne(requests);
    expect(`${method} ${url}`).toBe("POST https://mail.example/emails");
    expect(Object.fromEntries(headers)).toMatchObject({
      authorization: "Bearer re_1",
      "content-type": "application/json",
      "idempotency-key": "a key",
    });
  });

  test("has the company's name as a quoted string, and answers go to support", async () => {
    const requests = receiverAnswers(accepts);
    await emailOverHttp();
    expect(await onlyOne(requests).json()).toEqual({
      from: `"Engines \\"& \\\\ Sons" <${company.senderEmail}>`,
      to: ["ada@example.com"],
      reply_to: company.supportEmail,
      subject: CONTENT.subject,
      html: CONTENT.html,
      text: CONTENT.text,
    });
  });
});

describe("each receiver", () => {
  const RECEIVERS: { receiver: string; send: () => Promise<SendOutcome> }[] = [
    { receiver: "the mail provider", send: emailOverHttp },
    { receiver: "the console", send: () => webhookFor() },
  ];

  test.each(RECEIVERS)("is asked without following a redirect to another host: $receiver", async ({ send }) => {
    const requests = receiverAnswers(accepts);
    await send();
    expect(onlyOne(requests).redirect).toBe("manual");
  });

  test.each(RECEIVERS)("has ten seconds to answer: $receiver", async ({ send }) => {
    const deadline = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(deadline.signal);
    const requests = receiverAnswers(accepts);
    await send();
    deadline.abort();
    expect(timeout).toHaveBeenCalledWith(10_000);
    expect(onlyOne(requests).signal.aborted, "the request ends with the deadline").toBe(true);
  });
});

function noConnection(): Response {
  throw new TypeError("fetch failed for ada@example.com");
}
const refusalNamed = (name: string, status = 409) => Response.json({ name }, { status });

type Refusal = { answer: string; response: () => Response; email: SendOutcome; webhook: SendOutcome };
const REFUSALS: Refusal[] = [
  { answer: "500", response: () => new Response("", { status: 500 }), email: failed("500"), webhook: failed("500") },
  {
    answer: "a redirect",
    response: () => new Response(null, { status: 302 }),
    email: failed("302"),
    webhook: failed("302"),
  },
  {
    answer: "a 409 for an email that was sent with another text",
    response: () => refusalNamed("invalid_idempotent_request"),
    email: SENT,
    webhook: failed("409"),
  },
  {
    answer: "a 400 with the name of that 409",
    response: () => refusalNamed("invalid_idempotent_request", 400),
    email: failed("400"),
    webhook: failed("400"),
  },
  {
    answer: "a 409 while the same email is being sent",
    response: () => refusalNamed("concurrent_idempotent_requests"),
    email: failed("409"),
    webhook: failed("409"),
  },
  {
    answer: "a 409 without a name",
    response: () => new Response("{", { status: 409 }),
    email: failed("409"),
    webhook: failed("409"),
  },
  { answer: "no answer", response: noConnection, email: failed("connection"), webhook: failed("connection") },
];

test.each(REFUSALS)("after $answer an email is $email.status", async ({ response, email }) => {
  receiverAnswers(response);
  expect(await emailOverHttp()).toEqual(email);
});

test.each(REFUSALS)("after $answer a webhook is $webhook.status", async ({ response, webhook }) => {
  receiverAnswers(response);
  expect(await webhookFor()).toEqual(webhook);
});

describe("an email through Cloudflare's binding", () => {
  const send = vi.fn<(email: unknown) => Promise<void>>();
  const binding = z.custom<SendEmail>((value) => typeof value === "object").parse({ send });
  const emailOverBinding = () => emailOver({ kind: "cloudflare", binding });

  test("is sent in the company's name, and answers go to support", async () => {
    send.mockResolvedValueOnce();
    expect(await emailOverBinding()).toEqual(SENT);
    expect(send).toHaveBeenCalledWith({
      from: { name: COMPANY_NAME, email: company.senderEmail },
      to: "ada@example.com",
      replyTo: company.supportEmail,
      subject: CONTENT.subject,
      html: CONTENT.html,
      text: CONTENT.text,
    });
  });

  test("fails with the error's code, and without its message", async () => {
    send.mockRejectedValueOnce(Object.assign(new Error("ada@example.com"), { code: "E_SUPPRESSED" }));
    expect(await emailOverBinding()).toEqual(failed("E_SUPPRESSED"));
  });

  test("fails with the error's name if it has no code", async () => {
    send.mockRejectedValueOnce(new RangeError("ada@example.com"));
    expect(await emailOverBinding()).toEqual(failed("RangeError"));
  });
});

describe("a webhook to the console", () => {
  test("is posted with the message's key as its ID, so that the console can tell a repetition", async () => {
    const requests = receiverAnswers(accepts);
    expect(await webhookFor()).toEqual(SENT);
    const { method, url, headers } = onlyOne(requests);
    expect(`${method} ${url}`).toBe("POST https://console.example/hook");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/json",
      "webhook-id": "account-created/1",
    });
  });

  const ACCOUNT = {
    id: MESSAGE.id,
    status: MESSAGE.status,
    end_reason: null,
    email: MESSAGE.email,
    email_verified: false,
    password_hash: MESSAGE.password_hash,
    full_name: MESSAGE.full_name,
    company_name: MESSAGE.company_name,
    phone: MESSAGE.phone,
    billing_address: {
      address: MESSAGE.address,
      city: MESSAGE.city,
      state: MESSAGE.state,
      zip_code: MESSAGE.zip_code,
      country: MESSAGE.country,
    },
    package: { id: "an-id", name: "STANDARD" },
    trial_end: MESSAGE.trial_end,
    stripe_customer_id: MESSAGE.stripe_customer_id,
    stripe_subscription_id: MESSAGE.stripe_subscription_id,
    created_at: MESSAGE.created_at,
  };

  type Row = { about: string; message: Partial<AccountMessage>; type: string; data: object };
  test.each<Row>([
    { about: "a new account", message: { kind: "account-created" }, type: "account.created", data: ACCOUNT },
    {
      about: "a confirmed address",
      message: { kind: "email-verified", email_verified_at: "2026-11-22T09:05:00.000Z" },
      type: "account.email_verified",
      data: { ...ACCOUNT, email_verified: true },
    },
    {
      about: "a closed account",
      message: { kind: "account-closed", end_reason: "not-me" },
      type: "account.closed",
      data: { ...ACCOUNT, end_reason: "not-me" },
    },
    {
      about: "an account without a plan",
      message: { package_id: null },
      type: "account.created",
      data: { ...ACCOUNT, package: null },
    },
  ])("about $about is signed, and has its type and the whole account", async ({ message, type, data }) => {
    const requests = receiverAnswers(accepts);
    await webhookFor({ ...CREATED, ...message });
    const request = onlyOne(requests);
    const body = new Webhook(SECRET).verify(await request.text(), Object.fromEntries(request.headers));
    expect(body).toEqual({ type, timestamp: new Date(NOW).toISOString(), data });
  });
});
