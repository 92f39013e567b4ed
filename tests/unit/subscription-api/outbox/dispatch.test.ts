import { beforeEach, describe, expect, test, vi } from "vitest";
import { accountWebhookTo } from "../../../../functions/subscription-api/outbox/account-webhook";
import { dispatchMessages } from "../../../../functions/subscription-api/outbox/dispatch";
import { mailOver } from "../../../../functions/subscription-api/outbox/emails/email";
import { type MessageKind, newMessage, outboxIn } from "../../../../functions/subscription-api/outbox/outbox";
import { signedLinks } from "../../../../functions/subscription-api/signed-links";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";
import { stopClock } from "../../../support/api-in-process/clock";
import { databaseInMemory } from "../../../support/api-in-process/database";
import { SENDER } from "../../../support/api-in-process/sender";
import { validRequest } from "../../../support/visitors/visitor";

const DAY = 24 * 60 * 60_000;
const NOW = Date.parse("2026-11-22T12:00:00.000Z");

stopClock(NOW);
beforeEach(() => {
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});

const links = signedLinks({
  publicUrl: "https://api.example",
  secrets: ["signs-the-links-of-this-test-of-the-outbox"],
});
const mail = mailOver({
  transport: { kind: "http", url: "https://mail.example/emails", key: "re_1" },
  ...SENDER,
});
const secret = `whsec_${Buffer.from("a-secret-of-the-console-of-the-tests").toString("base64")}`;

/** An outbox with a message of each kind given, about a sign-up without a plan. */
async function outboxOf(columns: string, ...kinds: MessageKind[]) {
  const { db, rows, signUp } = databaseInMemory();
  const { id } = await signUp();
  rows(`UPDATE sign_ups SET package_id = NULL, stripe_customer_id = 'cus_1', ${columns}`);
  for (const kind of kinds) await newMessage(db, { key: kind, kind, signUpId: id }, "TRUE").run();
  const sent = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("{}"));
  const outbox = outboxIn(db);
  const settle = async (...given: Parameters<typeof outbox.settle>) => {
    await new Promise((resolve) => setImmediate(resolve));
    return outbox.settle(...given);
  };
  const findCard = vi.fn(async () => ({ brand: "visa", last4: "4242" }));
  const services = {
    outbox: { ...outbox, settle },
    mail,
    links,
    payments: {
      findBilling: async () => undefined,
      findCard,
      findCardPayments: async () => [],
      refund: async () => true,
    },
    refundsReported: true,
  };
  return {
    id,
    sent,
    findCard,
    rows,
    states: () => rows("SELECT state, drop_reason FROM outbox"),
    dispatch: (hasConsole = false) =>
      dispatchMessages({
        ...services,
        accountWebhook: hasConsole ? accountWebhookTo({ url: "https://console.example/hook", secret }) : undefined,
      }),
  };
}

const ON_TRIAL = "status = 'trialing', trial_end = '2026-11-27T12:00:00.000Z'";
const textOf = ({ mock }: { mock: { calls: [unknown, RequestInit?][] } }) =>
  String(JSON.parse(String(mock.calls.at(-1)?.[1]?.body)).text);

test("the email about a used card links to the end of its sign-up [H4]", async () => {
  const { dispatch, id, sent } = await outboxOf("status = 'pending'", "card-used");
  await dispatch();
  const [, notMe = ""] = /not-me\/(\S+)/.exec(textOf(sent)) ?? [];
  expect(await links.read("not-me", notMe)).toBe(id);
});

test("the links in the first email work for thirty days from the sign-up, each for its purpose [H4]", async () => {
  const { dispatch, id, sent } = await outboxOf(ON_TRIAL, "trial-started");
  vi.setSystemTime(NOW + DAY);
  await dispatch();
  const [, verify = "", notMe = ""] = /verify-email\/(\S+)[\s\S]*not-me\/(\S+)/.exec(textOf(sent)) ?? [];
  const read = async () => [await links.read("verify-email", verify), await links.read("not-me", notMe)];
  vi.setSystemTime(NOW + 30 * DAY - 1000);
  expect(await read()).toEqual([id, id]);
  vi.setSystemTime(NOW + 30 * DAY);
  expect(await read()).toEqual([undefined, undefined]);
});

test("a trial without a plan is described with its customer's card", async () => {
  const { dispatch, sent, findCard } = await outboxOf(ON_TRIAL, "trial-started");
  await dispatch();
  expect(textOf(sent)).toContain("Card: Visa ending in 4242");
  expect(findCard).toHaveBeenCalledWith("cus_1");
  const without = await outboxOf(`${ON_TRIAL}, stripe_customer_id = NULL`, "trial-started");
  await without.dispatch();
  expect(textOf(without.sent)).toContain(validRequest.company_name);
  expect([textOf(without.sent).includes("Card:"), without.findCard.mock.calls]).toEqual([false, []]);
});

describe("the email about a used card", () => {
  test.each([
    ["pending", "sent", null],
    ["ended", "sent", null],
    ["card_set_up", "dropped", "trial-began"],
    ["trialing", "dropped", "trial-began"],
    ["past_due", "dropped", "trial-began"],
    ["canceled", "dropped", "trial-began"],
  ])("for a sign-up that is %s is %s, and recorded before the run ends [T4]", async (status, state, reason) => {
    const { dispatch, states, sent } = await outboxOf(`status = '${status}', end_reason = 'cards-failed'`, "card-used");
    expect(await dispatch()).toBe(1);
    expect(states()).toEqual([{ state, drop_reason: reason }]);
    expect(sent).toHaveBeenCalledTimes(state === "sent" ? 1 : 0);
    expect(await dispatch()).toBe(0);
  });
});

test("account webhooks wait until a console is configured, emails do not", async () => {
  const { dispatch, rows, sent } = await outboxOf(ON_TRIAL, "account-created", "email-verified", "card-used");
  const due = () => rows("SELECT key FROM outbox WHERE state = 'due' ORDER BY key").map(({ key }) => key);
  expect(await dispatch()).toBe(1);
  expect([due(), sent.mock.calls.length]).toEqual([["account-created", "email-verified"], 0]);
  expect(await dispatch(true)).toBe(2);
  expect([due(), sent.mock.calls.map(([url]) => String(url))]).toEqual([
    [],
    ["https://console.example/hook", "https://console.example/hook"],
  ]);
});

test("a backlog of one kind delays the other kinds by two runs at most", async () => {
  const { dispatch, rows } = await outboxOf(ON_TRIAL, "trial-started", "trial-ending", "card-used");
  const more =
    "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at) SELECT ?, id, 'trial-started', '', '' FROM sign_ups";
  for (let index = 0; index < 40; index += 1) rows(more, `another ${index}`);
  for (let run = 0; run < 3; run += 1) expect(await dispatch()).toBe(6);
  expect(rows("SELECT key FROM outbox WHERE state = 'due' AND kind <> 'trial-started'")).toEqual([]);
});

test("an email is retried after 30 seconds if Stripe fails while it is composed, and the reason is logged", async () => {
  const { dispatch, rows, findCard } = await outboxOf(ON_TRIAL, "trial-started");
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  findCard.mockRejectedValueOnce(new PaymentsError("unavailable"));
  await dispatch();
  expect(rows("SELECT state, attempts, next_attempt_at FROM outbox")).toEqual([
    { state: "due", attempts: 1, next_attempt_at: "2026-11-22T12:00:30.000Z" },
  ]);
  expect(vi.mocked(console.warn).mock.calls.join()).toContain('"message_failed"');
  expect(vi.mocked(console.warn).mock.calls.join()).toContain('"stripe-unavailable"');
  rows("UPDATE outbox SET attempts = 14, next_attempt_at = '2026-11-22T12:00:00.000Z'");
  findCard.mockRejectedValueOnce(new PaymentsError("failed"));
  await dispatch();
  expect(rows("SELECT state FROM outbox")).toEqual([{ state: "dead" }]);
  expect(vi.mocked(console.error).mock.calls.join()).toContain('"message_dead"');
});

test("an email keeps its lease if composing it fails for another reason, which is logged without quoting the error [F6]", async () => {
  const { dispatch, rows, findCard } = await outboxOf(ON_TRIAL, "trial-started");
  findCard.mockRejectedValueOnce(new RangeError("of ada@example.com"));
  await dispatch();
  expect(rows("SELECT state, attempts, next_attempt_at FROM outbox")).toEqual([
    { state: "due", attempts: 0, next_attempt_at: "2026-11-22T12:01:00.000Z" },
  ]);
  const logged = vi.mocked(console.error).mock.calls.join();
  expect(logged).toContain('"message_unsettled"');
  expect(logged).not.toContain("ada@");
});
