import { get } from "node:http";
import { JSDOM } from "jsdom";
import { afterAll, expect, test } from "vitest";
import { DAY, newCustomer, STANDARD, subscribe } from "../stripe-facts/facts/situations";
import { startSimulatorWorld } from "../stripe-facts/simulator-world";
import { enterCard, mails, newIntent, post } from "../support/visitors/visitor";

/*
 * What only the simulator has: the bank's page, the portal, the dashboard and the mail provider. All else is in tests/stripe-facts.
 * tests/browser/simulator.spec.ts presses each button.
 */

const { url, world, dispose } = await startSimulatorWorld();
afterAll(dispose);
const { stripe } = world;

test("a page of another site that leads its own name to the simulator reads nothing", async () => {
  const { port } = new URL(url);
  const statusFor = (host: string) =>
    new Promise((resolve) => {
      get({ host: "127.0.0.1", port, path: "/mailbox", headers: { host } }, ({ statusCode }) => resolve(statusCode));
    });
  expect(await statusFor(`rebound.example:${port}`)).toBe(421);
  expect(await statusFor(`localhost:${port}`)).toBe(200);
});

test.each([
  { number: "4012888888881881", what: "is no test card", error: { decline_code: "test_mode_live_card" } },
  { number: "4242424242424241", what: "has a wrong check digit", error: { code: "incorrect_number" } },
  { number: "4242424242424242", month: "13", what: "has a 13th month", error: { code: "invalid_expiry_month" } },
])("a typed card that $what is refused in Stripe's words", async ({ number, month, error }) => {
  const { secret, status } = await newIntent(stripe, "typed@example.com");
  const { body } = await enterCard(url, secret, number, month ? { exp_month: month } : {});
  expect(JSON.parse(body)).toMatchObject({ error });
  expect(await status()).toBe("requires_payment_method");
});

test.each([
  { number: "4000002500003155", answer: "complete", status: "succeeded", returns: "succeeded" },
  { number: "4000002500003155", answer: "fail", status: "requires_payment_method", returns: "failed" },
  { number: "4000008400001629", answer: "complete", status: "requires_payment_method", returns: "failed" },
])("the bank's page for $number, answered once: $answer, returns $returns: the intent is $status", async (row) => {
  const { id, secret, status } = await newIntent(stripe, "bank@example.com");
  await enterCard(url, secret, row.number);
  const { latest_attempt } = await stripe.setupIntents.retrieve(id);
  const body = new URLSearchParams({ outcome: row.answer });
  const page = `${url}/authenticate/${id}/${latest_attempt}`;
  const reply = () => fetch(page, { method: "POST", body, redirect: "manual" });
  const back = new URL((await reply()).headers.get("Location") ?? "");
  expect(Object.fromEntries(back.searchParams)).toMatchObject({ from: "card", redirect_status: row.returns });
  expect(await status()).toBe(row.status);
  expect(await reply()).toHaveStatus(404);
});

/** A page after a form, if there is one, was sent to it. */
async function pageAt(path: string, form?: Record<string, string>) {
  const answer = await fetch(url + path, form && { method: "POST", body: new URLSearchParams(form) });
  const { document } = new JSDOM(await answer.text()).window;
  const words = document.querySelector("main")?.textContent?.replace(/\s+/g, " ") ?? "";
  const offered = [...document.querySelectorAll<HTMLOptionElement>("option")];
  return { status: answer.status, path: new URL(answer.url).pathname, words, offered };
}

/** A customer with a card, in a trial. */
async function onTrial() {
  const { id: customer, email } = await newCustomer(world);
  const { id: card } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
  const { id, trial_end } = await subscribe(world, customer, (await world.price(STANDARD)).id);
  return {
    ...{ customer, email: email ?? "", id, end: trial_end ?? 0 },
    read: () => stripe.subscriptions.retrieve(id),
    dashboard: (form?: Record<string, string>) => pageAt(`/dashboard/${customer}`, form),
    portal: (form: Record<string, string> = {}) => pageAt(`/p/session/${customer}`, { subscription: id, ...form }),
  };
}
const dayOf = (seconds = 0) =>
  new Date(seconds * 1000).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });

test("the dashboard moves the account to a subscription's next step and can let a charge fail, and the portal says so", async () => {
  const { read, dashboard, portal } = await onTrial();
  const before = (await dashboard({ action: "fail" })).words;
  expect(before, "a time that was never set").not.toContain("1970");
  expect(before).toMatch(/trialing, .*customer\.created.*customer\.subscription\.created/);
  const statuses: string[] = [];
  const says: string[] = [];
  // The announcement, the trial's end, the charge that fails, and the one that works.
  for (let step = 0; step < 4; step += 1) {
    await dashboard({ action: "next" });
    statuses.push((await read()).status);
    says.push((await portal()).words);
  }
  expect(statuses).toEqual(["trialing", "active", "past_due", "active"]);
  const next = `The next payment is on ${dayOf((await read()).items.data[0]?.current_period_end)}.`;
  const failed = "The last payment failed and will be tried again. Change your card.";
  expect(says).toEqual(["Free trial.", next, failed, next].map((words) => expect.stringContaining(words)));
});

test("portal and dashboard say when a canceled subscription ends, and the dashboard that this was taken back", async () => {
  const { end, dashboard, portal } = await onTrial();
  const trial = `Free trial. The first payment is on ${dayOf(end)}.`;
  expect((await portal()).words).toContain(trial);
  expect((await portal({ intent: "cancel" })).words).toContain(`Canceled: it ends on ${dayOf(end)}.`);
  const endsAt = new Date(end * 1000).toISOString().slice(0, 16).replace("T", " ");
  expect((await dashboard()).words).toMatch(RegExp(`It ends at ${endsAt} UTC.*will be canceled`));
  expect((await portal({ intent: "renew" })).words).toContain(trial);
  expect((await dashboard()).words).toMatch(/will be canceled.*cancellation reversed/);
});

test("the portal opens for the customer who has a subscription, offers what is configured by the month, and refuses a card", async () => {
  const { customer, email, portal } = await onTrial();
  await stripe.customers.create({ email });
  expect((await pageAt("/p/login/test", { email: ` ${email.toUpperCase()}` })).path).toBe(`/p/session/${customer}`);
  const standard = await world.price(STANDARD);
  const [archived, other] = [await world.newPrice(100), await world.newPrice(200)];
  await stripe.prices.update(archived.id, { active: false });
  const { id: byTheYear } = await stripe.prices.create({
    ...{ currency: "usd", unit_amount: 300, recurring: { interval: "year" }, product: String(other.product) },
    ...{ lookup_key: "yearly", transfer_lookup_key: true },
  });
  const prices = [standard.id, archived.id, byTheYear];
  const subscription_update = { enabled: true, products: [{ product: String(standard.product), prices }] };
  await stripe.billingPortal.configurations.create({ features: { subscription_update } });
  const { offered } = await portal();
  const options = offered.map((option) => ({ price: option.value, isSelected: option.hasAttribute("selected") }));
  expect(options).toEqual([{ price: standard.id, isSelected: true }]);
  const card = { intent: "card", "card[number]": "4000000000000002", "card[exp_month]": "12", "card[cvc]": "123" };
  const declined = await portal({ ...card, "card[exp_year]": "2040" });
  expect(declined).toMatchObject({ status: 402, words: expect.stringMatching(/declined.*visa ending in 4242/) });
});

test("a trial's end that moves after its announcement is announced again", async () => {
  const { id, end, dashboard } = await onTrial();
  const announced = () => world.events(id, ["customer.subscription.trial_will_end"]);
  await dashboard({ action: "next" });
  expect(await announced()).toHaveLength(1);
  await stripe.subscriptions.update(id, { trial_end: end + 7 * DAY });
  await dashboard({ action: "next" });
  expect(await announced()).toHaveLength(2);
});

test("the mail provider sends an email once for its key, and refuses the key with another text, and one without its own", async () => {
  const send = async (text: string, authorization = "Bearer re_local") => {
    const email = { from: "us@example.com", to: ["ada@example.com"], subject: "Hello", html: "<p>Hello</p>", text };
    const headers = { authorization, "idempotency-key": "one-email" };
    const { status, text: answer } = await post(`${url}/emails`, JSON.stringify(email), headers);
    return { status, ...JSON.parse(answer) };
  };
  const first = await send("Hello");
  expect(await send("Hello")).toEqual(first);
  expect(await send("Good-bye")).toMatchObject({ status: 409, name: "invalid_idempotent_request" });
  expect(await send("Hello", "Bearer sk_local")).toMatchObject({ status: 401 });
  expect((await mails({ url }, "ada@example.com")).map(({ text }) => text)).toEqual(["Hello"]);
});
