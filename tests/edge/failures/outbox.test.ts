import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { startFaultyBackend } from "../../support/faults/faulty-backend";
import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import { deliverEvent, eventOf, sign } from "../../support/stripe/stripe-events";
import { accountWebhooks, enterCard, mails, rows, signUp, times } from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled, startSubscriptionApi } from "../../support/workers/workers";

const SECOND = 1000;
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

  it("sends the confirmation at once: who, which plan, until when, what next, names escaped, and no password [F4] [F10] [S13]", async () => {
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

  it("shows the mailbox with HTML that cannot run, and as text", async () => {
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

  it("sends the account webhook to the console, signed, with the hash of the password and not the password [F4]", async () => {
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

  it("is not believed by the console when the signature, the time or the body is another", async () => {
    const headers = { "webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA" };
    const answers = await Promise.all([
      fetch(`${stripe.url}/console/webhook`, { method: "POST", body: "{}" }),
      fetch(`${stripe.url}/console/webhook`, { method: "POST", body: "{}", headers }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  it.each(["refuse", "500-before", "429"] as const)(
    "tries a mail again, later each time, when the provider fails (%s)",
    async (fault) => {
      proxy.breakAt("POST /emails", fault);
      const email = `retried-${fault}@example.com`;
      const id = await trialOf(email);
      await expect.poll(async () => api.logs.filter(isFailureOf(id))).toHaveLength(1);

      const first = await message("trial-started", id);
      const delay = Date.parse(String(first?.next_attempt_at)) - Date.now();
      expect(first).toMatchObject({ state: "due", attempts: 1 });
      expect(delay).toBeGreaterThan(10 * SECOND);
      expect(delay).toBeLessThan(45 * SECOND);
      await runScheduled(api);
      expect(await message("trial-started", id)).toMatchObject({ attempts: 1 });

      proxy.repair();
      await makeDue();
      await runScheduled(api);
      expect(await message("trial-started", id)).toMatchObject({ state: "sent", attempts: 2 });
      expect(await mails(stripe, email)).toHaveLength(1);
    },
  );

  it.each([
    ["the provider's answer is lost", () => proxy.breakAt("POST /emails", "lose-answer")],
    [
      "the database fails when it should note it",
      () => proxy.decideDatabase(({ sql }) => (sql.startsWith("UPDATE outbox SET state") ? "refuse" : undefined)),
    ],
  ])("sends no second mail when it was sent but %s", async (name, fail) => {
    const email = `twice-${name.split(" ")[1]}@example.com`;
    fail();
    const id = await trialOf(email);
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, SECOND / 2));
    expect(await message("trial-started", id)).toMatchObject({ state: "due" });

    proxy.repair();
    await makeDue();
    await runScheduled(api);
    expect(await message("trial-started", id)).toMatchObject({ state: "sent", attempts: 2 });
    expect(await mails(stripe, email)).toHaveLength(1);
  });

  it("is emptied by several senders at once without a message sent twice", async () => {
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

  it("takes six messages at a time, as many as there are connections, so that none waits while its lease runs [G16]", async () => {
    proxy.breakAt("POST /emails", "refuse");
    const ids = await times(8, (index) => trialOf(`batch-${index}@example.com`));
    await expect.poll(() => api.logs.filter((line) => ids.some((id) => isFailureOf(id)(line)))).toHaveLength(8);
    await makeDue();
    proxy.breakAt("POST /emails", "stall");
    const run = runScheduled(api);
    const leased = () =>
      rows(api, "SELECT key FROM outbox WHERE state = 'due' AND attempts = 2 AND next_attempt_at > ?", PAST);
    await expect.poll(leased).toHaveLength(6);
    await new Promise((resolve) => setTimeout(resolve, SECOND));
    expect(await leased()).toHaveLength(6);
    proxy.repair();
    await run;
    await makeDue();
    await runScheduled(api);
    for (const index of ids.keys()) expect(await mails(stripe, `batch-${index}@example.com`)).toHaveLength(1);
  });

  it("gives a message up after fifteen attempts: dead, in the log, counted by /health, and revived by one statement", async () => {
    proxy.breakAt("POST /emails", "500-before");
    const id = await trialOf("dead@example.com");
    await expect.poll(async () => api.logs.filter(isFailureOf(id))).toHaveLength(1);
    await rows(api, "UPDATE outbox SET attempts = 14, next_attempt_at = ? WHERE key = ?", PAST, `trial-started/${id}`);
    await runScheduled(api);

    expect(await message("trial-started", id)).toMatchObject({ state: "dead", attempts: 15 });
    await expect
      .poll(() => api.logs)
      .toContainEqual(expect.objectContaining({ level: "error", event: "message_dead", signUpId: id, reason: "500" }));
    expect(await (await fetch(`${api.url}/health`)).json()).toMatchObject({ dead_messages: 1 });

    proxy.repair();
    await rows(api, "UPDATE outbox SET state = 'due', attempts = 0, next_attempt_at = ? WHERE state = 'dead'", PAST);
    await runScheduled(api);
    expect(await mails(stripe, "dead@example.com")).toHaveLength(1);
  });

  it("keeps account webhooks until there is a console to hear them", async () => {
    const withoutConsole = await startSubscriptionApi({
      simulatorUrl: stripe.url,
      vars: { CONSOLE_WEBHOOK_URL: "" },
      ...(await fastApi()),
    });
    const { clientSecret } = await signUp(withoutConsole, { email: "waits@example.com" });
    await enterCard(stripe.url, clientSecret);
    await signUp(withoutConsole, { email: "waits@example.com" });

    await expect
      .poll(() => rows(withoutConsole, "SELECT kind, state, attempts FROM outbox ORDER BY kind"))
      .toEqual([
        { kind: "account-created", state: "due", attempts: 0 },
        { kind: "trial-ending", state: "due", attempts: 0 },
        { kind: "trial-started", state: "sent", attempts: 1 },
      ]);
    await withoutConsole.dispose();
  });

  it("writes no personal data to the log [F6]", () => {
    const log = JSON.stringify(api.logs);
    expect(log).toContain("message_failed");
    expect(log).not.toMatch(/@|example\.com|Lovelace|Engines|scrypt/);
  });
});

function isFailureOf(id: string) {
  return ({ event, kind, signUpId }: Record<string, unknown>) =>
    event === "message_failed" && kind === "trial-started" && signUpId === id;
}
