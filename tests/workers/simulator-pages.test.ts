import { afterAll, expect, test } from "vitest";
import { newCustomer, STANDARD, subscribe } from "../stripe-facts/facts/situations";
import { startSimulatorWorld } from "../stripe-facts/simulator-world";
import { enterCard, mails, newIntent, post } from "../support/visitors/visitor";

/* What only the simulator has: the bank's page, the dashboard and the mail provider. All else is in tests/stripe-facts. */

const { url, world, dispose } = await startSimulatorWorld();
afterAll(dispose);

test("the simulator's root redirects to the dashboard", async () => {
  expect(await fetch(url, { redirect: "manual" })).toRedirectTo("/dashboard", 302);
});

test.each([
  { number: "4012888888881881", what: "is no test card", error: { decline_code: "test_mode_live_card" } },
  { number: "4242424242424241", what: "has a wrong check digit", error: { code: "incorrect_number" } },
  { number: "4242424242424242", month: "13", what: "has a 13th month", error: { code: "invalid_expiry_month" } },
])("a typed card that $what is refused in Stripe's words", async ({ number, month, error }) => {
  const { secret, status } = await newIntent(world.stripe, "typed@example.com");
  const { body } = await enterCard(url, secret, number, month ? { exp_month: month } : {});
  expect(JSON.parse(body)).toMatchObject({ error });
  expect(await status()).toBe("requires_payment_method");
});

test.each([
  { number: "4000002500003155", answer: "complete", status: "succeeded" },
  { number: "4000002500003155", answer: "fail", status: "requires_payment_method" },
  { number: "4000008400001629", answer: "complete", status: "requires_payment_method" },
])("after the bank's page for $number is answered with $answer, the setup intent is $status", async (row) => {
  const { id, secret, status } = await newIntent(world.stripe, "bank@example.com");
  await enterCard(url, secret, row.number);
  const { latest_attempt } = await world.stripe.setupIntents.retrieve(id);
  const body = new URLSearchParams({ outcome: row.answer });
  await fetch(`${url}/authenticate/${id}/${latest_attempt}`, { method: "POST", body, redirect: "manual" });
  expect(await status()).toBe(row.status);
});

test("the dashboard moves the account to a subscription's next step, and can let the next charge fail", async () => {
  const { stripe } = world;
  const { id: customer } = await newCustomer(world);
  const { id: card } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
  const { id } = await subscribe(world, customer, (await world.price(STANDARD)).id);
  const page = `${url}/dashboard/${customer}`;
  const send = (action: string) => fetch(page, { method: "POST", body: new URLSearchParams({ action }) });
  const status = async () => (await stripe.subscriptions.retrieve(id)).status;
  expect(await (await fetch(page)).text(), "a time that was never set").not.toContain("1970");
  await send("fail");
  const statuses: string[] = [];
  // The announcement, the trial's end, the charge that fails, and the one that works.
  for (let step = 0; step < 4; step += 1) {
    await send("next");
    statuses.push(await status());
  }
  expect(statuses).toEqual(["trialing", "active", "past_due", "active"]);
});

test("the mail provider sends an email once for its key, and refuses the key with another text", async () => {
  const send = async (text: string) => {
    const email = { from: "us@example.com", to: ["ada@example.com"], subject: "Hello", html: "<p>Hello</p>", text };
    const headers = { authorization: "Bearer re_local", "idempotency-key": "one-email" };
    const { status, text: answer } = await post(`${url}/emails`, JSON.stringify(email), headers);
    return { status, ...JSON.parse(answer) };
  };
  const first = await send("Hello");
  expect(await send("Hello")).toEqual(first);
  expect(await send("Good-bye")).toMatchObject({ status: 409, name: "invalid_idempotent_request" });
  expect((await mails({ url }, "ada@example.com")).map(({ text }) => text)).toEqual(["Hello"]);
});
