import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { deliverEvent, eventOf, sign } from "../../support/stripe/stripe-events";
import { accountWebhooks, enterCard, mails, rows, signUp, times } from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled } from "../../support/workers/workers";

const PAST = "2026-01-01T00:00:00.000Z";

describe("the outbox", () => {
  let api: RunningWorker;
  let stripe: RunningWorker;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    const backend = await startFaultyBackend();
    ({ api, stripe, proxy } = backend);
    return backend.dispose;
  });
  afterEach(() => proxy.repair());

  /** A sign-up whose trial has just begun; its id. */
  async function trialOf(email: string, fields: Record<string, unknown> = {}): Promise<string> {
    const { clientSecret } = await signUp(api, { email, ...fields });
    await enterCard(stripe.url, clientSecret);
    const [row] = await rows(api, "SELECT * FROM sign_ups WHERE email = ?", email);
    const payload = eventOf("setup_intent.succeeded", {
      id: row?.stripe_setup_intent_id,
      customer: row?.stripe_customer_id,
      metadata: { sign_up_id: row?.id },
    });
    expect((await deliverEvent(api, payload, sign(payload))).status).toBe(200);
    return String(row?.id);
  }

  const message = async (kind: string, id: string) =>
    (await rows(api, "SELECT * FROM outbox WHERE key = ?", `${kind}/${id}`))[0];
  /** All but the reminders, which wait for their day. */
  const makeDue = () =>
    rows(api, "UPDATE outbox SET next_attempt_at = ? WHERE state = 'due' AND kind <> 'trial-ending'", PAST);

  test("sends the confirmation at once: who, which plan, until when, what next, names escaped, and no password [F4] [F10] [S13]", async () => {
    const id = await trialOf("mail@example.com", { full_name: "Ada <b>Lovelace</b>", company_name: 'A & "B"' });

    await expect.poll(() => mails(stripe, "mail@example.com")).toHaveLength(1);
    const [mail] = await mails(stripe, "mail@example.com");
    const [row] = await rows(api, "SELECT trial_end FROM sign_ups WHERE id = ?", id);
    const end = new Date(String(row?.trial_end)).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
    expect(mail).toMatchObject({
      subject: "Your Citewell trial has started",
      from: '"Citewell" <hello@citewell.example>',
    });
    for (const form of [mail?.text, mail?.html]) {
      expect(form).toContain(end);
      expect(form).toContain("STANDARD");
      expect(form).toContain("$500.00 plus any tax");
      expect(form).toContain("https://console.citewell.example");
      expect(form).toContain("support@citewell.example");
      expect(form).not.toContain("Analytical-3ngine");
    }
    expect(mail?.text).toContain('The free trial for A & "B" has started');
    expect(mail?.html).toContain("Ada &lt;b&gt;Lovelace&lt;/b&gt;");
    expect(mail?.html).toContain("A &amp; &quot;B&quot;");
    expect(mail?.html).not.toContain("<b>");
    await expect.poll(() => message("trial-started", id)).toMatchObject({ state: "sent", attempts: 1 });
  });

  test("shows the mailbox with HTML that cannot run, and as text", async () => {
    await trialOf("page@example.com", { full_name: "<script>alert(1)</script>" });
    await expect.poll(() => mails(stripe, "page@example.com")).toHaveLength(1);

    const mailbox = await (await fetch(`${stripe.url}/mailbox`)).text();
    const link = /href="(\/mailbox\/[\w-]+)"/.exec(mailbox)?.[1] ?? "";
    const page = await (await fetch(`${stripe.url}${link}`)).text();
    expect(mailbox).toContain("page@example.com");
    expect(page).toContain('<iframe sandbox src="');
    expect(page).toContain("Hello &lt;script&gt;alert(1)&lt;/script&gt;,");
    expect(page).not.toContain("<script>");
    const frame = await fetch(`${stripe.url}${link}/html`);
    expect(frame.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
    expect(await frame.text()).toContain("Hello &lt;script&gt;alert(1)&lt;/script&gt;,");
  });

  test("sends the account webhook to the console, signed, with the hash of the password and not the password [F4]", async () => {
    const id = await trialOf("console@example.com");
    await expect.poll(() => accountWebhooks(stripe, "console@example.com")).toHaveLength(1);

    const [webhook] = await accountWebhooks(stripe, "console@example.com");
    expect(webhook).toMatchObject({
      id: `account-created/${id}`,
      type: "account.created",
      data: {
        id,
        email: "console@example.com",
        company_name: "Engines & Sons",
        package: { name: "STANDARD" },
        password_hash: expect.any(String),
        stripe_subscription_id: expect.stringMatching(/^sub_/),
      },
    });
    expect(JSON.stringify(webhook)).not.toContain("Analytical-3ngine");
    expect(await (await fetch(`${stripe.url}/console`)).text()).toContain("console@example.com");
  });

  test("is emptied by several senders at once without a message sent twice", async () => {
    proxy.breakAt("POST /emails", "refuse");
    const ids = await times(10, (index) => trialOf(`senders-${index}@example.com`));
    await expect.poll(() => api.logs.filter((line) => ids.some((id) => isFailureOf(id)(line)))).toHaveLength(10);
    const sent: string[] = [];
    proxy.decide(({ path, headers }) => {
      if (path === "/emails") sent.push(headers["idempotency-key"] ?? "");
      return undefined;
    });
    await makeDue();
    await times(5, () => runScheduled(api));

    expect(sent.sort()).toEqual(ids.map((id) => `trial-started/${id}`).sort());
  });

  test("writes no personal data to the log [F6]", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("message_failed");
    expect(log).not.toMatch(/@|example\.com|Lovelace|Engines|scrypt/);
  });
});

function isFailureOf(id: string) {
  return ({ event, kind, signUpId }: Record<string, unknown>) =>
    event === "message_failed" && kind === "trial-started" && signUpId === id;
}
