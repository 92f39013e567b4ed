import * as z from "zod";
import { MINUTE } from "./scheduler";
import type { Customer, Subscription } from "./stripe-objects";
import { type Consent, type Deeds, PLANS } from "./visitors";
import type { World } from "./world";

const text = z.string();
const signUps = z.array(
  z.object({
    id: text,
    status: text,
    email: text,
    package_id: text.nullable(),
    stripe_customer_id: text.nullable(),
    stripe_setup_intent_id: text.nullable(),
    stripe_subscription_id: text.nullable(),
    end_reason: text.nullable(),
    check_at: text.nullable(),
  }),
);
const outbox = z.array(
  z.object({
    key: text,
    sign_up_id: text,
    kind: text,
    state: text,
    next_attempt_at: text,
    drop_reason: text.nullable(),
  }),
);
const changes = z.array(z.object({ what: text, id: text, was: text, became: text }));

const FORWARD: Record<string, string[]> = {
  pending: ["active", "superseded"],
  active: ["trialing", "past_due", "canceled"],
  trialing: ["active", "past_due", "canceled"],
  past_due: ["active", "canceled"],
  due: ["sent", "dropped", "dead"],
};

/** Always: a subscription is made for a plan and price that its customer agreed to, and is the e-mail address's only one. */
export function subscriptionBegan(world: World, deeds: Deeds, made: Subscription, customer: Customer): void {
  const agreed = deeds.consents.some(
    ({ setupIntent, plan }) =>
      world.stripe.setupIntents.get(setupIntent)?.customer === customer.id && plan?.price === made.price,
  );
  if (!agreed) world.violate(`${customer.email} has a subscription to ${made.price} that nobody agreed to`);
  for (const other of world.stripe.subscriptions.values()) {
    const isSame = world.stripe.customers.get(other.customer)?.email === customer.email;
    if (other !== made && isSame && other.status !== "canceled")
      world.violate(`${customer.email} has two subscriptions`);
  }
}

/** After quiet time: what is in the database, at Stripe and with the receivers, and what visitors were told, agrees. */
export function checkEnd(world: World, deeds: Deeds): void {
  const { database, stripe, scheduler } = world;
  // What was due by then is done: the cron handler has run ten times since.
  const overdue = new Date(scheduler.now - 10 * MINUTE).toISOString();
  const rows = signUps.parse(database.run("SELECT * FROM sign_ups").results);
  const messages = outbox.parse(database.run("SELECT * FROM outbox").results);
  const isReplaced = ({ key, at }: Consent) => deeds.told.some((one) => one.replaces === key && one.sentAt <= at);

  for (const { what, id, was, became } of changes.parse(database.run("SELECT * FROM changes").results)) {
    if (!FORWARD[was]?.includes(became)) world.violate(`The ${what} ${id} went from ${was} to ${became}`);
  }

  for (const row of rows) {
    const name = `The sign-up of ${row.email}`;
    if (row.status === "pending" || row.status === "superseded") world.violate(`${name} is still ${row.status}`);
    if (row.check_at !== null && row.check_at < overdue)
      world.violate(`${name} was to be looked at by ${row.check_at}`);
    const consent = deeds.consents.find(({ setupIntent }) => setupIntent === row.stripe_setup_intent_id);
    if (!consent || (consent.plan?.id ?? null) !== row.package_id)
      world.violate(`${name} is ${row.status} without its card`);
    const made = [...stripe.subscriptions.values()].filter(({ customer }) => customer === row.stripe_customer_id);
    const wanted = row.package_id === null ? [] : [row.stripe_subscription_id];
    if (made.map(({ id }) => id).join() !== wanted.join())
      world.violate(`${name} has the subscriptions ${made.map(({ id }) => id)}`);
    // A lost event is made up for when the trial should be over.
    for (const { status } of made)
      if (status !== row.status && row.check_at === null)
        world.violate(`${name} is ${row.status}, its subscription ${status}`);
    const isToldOf = (key: string, got: Map<string, number>) =>
      messages.some((one) => one.key === key && one.state === "sent") && got.has(key);
    // A trial that was cancelled may be over before its mail is written.
    if (row.status === "canceled") continue;
    if (!isToldOf(`trial-started/${row.id}`, world.mails)) world.violate(`${name} has no mail`);
    if (!isToldOf(`account-created/${row.id}`, world.webhooks)) world.violate(`${name} has no account`);
  }
  for (const [email, count] of countsOf(rows.map((row) => row.email))) {
    if (count > 1) world.violate(`${email} has ${count} trials`);
  }

  for (const { key, state, kind, next_attempt_at, drop_reason } of messages) {
    if (state === "due" && (kind !== "trial-ending" || next_attempt_at < overdue)) world.violate(`${key} is still due`);
    if (state === "dropped" && drop_reason === null) world.violate(`${key} was dropped without a reason`);
    if (state === "dead") world.violate(`${key} was given up`);
  }
  for (const [key, count] of [...world.mails, ...world.webhooks]) {
    // Of a used card Stripe's customer is told also where no trial follows; the sign-up is then deleted.
    const isKept = !key.startsWith("card-used/") || rows.some(({ id }) => key.endsWith(id));
    if (isKept && !messages.some((one) => one.key === key)) world.violate(`${key} was sent and is not in the outbox`);
    if (world.faulty === 0 && count > 1) world.violate(`${key} was sent ${count} times though nothing failed`);
  }

  for (const customer of stripe.customers.values()) {
    const row = rows.find((one) => one.stripe_customer_id === customer.id);
    if (!customer.deleted && !row) world.violate(`${customer.id} at Stripe belongs to nobody`);
  }
  for (const { id, customer, status, method } of stripe.setupIntents.values()) {
    const isKept = method !== null && stripe.methods.get(method)?.customer === customer;
    if (isKept && !rows.some((row) => row.stripe_setup_intent_id === id))
      world.violate(`The card of ${id} is kept for no trial`);
    if (status === "requires_payment_method" && stripe.customers.get(customer)?.deleted === false) {
      if (!rows.some((row) => row.stripe_customer_id === customer)) world.violate(`${id} is open for nobody`);
    }
  }
  for (const { customer, price } of stripe.charges) {
    const row = rows.find((one) => one.stripe_customer_id === customer);
    const plan = PLANS.find((one) => one?.id === row?.package_id);
    if (row?.end_reason !== null || plan?.price !== price) world.violate(`${customer} was charged ${price}`);
  }

  const hasTrial = (email: string) => rows.some((row) => row.email === email);
  const hasCardTrial = (card: string) =>
    deeds.consents.some(
      (one) => one.card === card && rows.some((row) => row.stripe_setup_intent_id === one.setupIntent),
    );
  for (const consent of deeds.consents) {
    const { name, email, card, declined } = consent;
    const cardUsed = world.onePerPerson && hasCardTrial(card);
    if (!hasTrial(email) && !cardUsed && declined < 5 && !isReplaced(consent))
      world.violate(`${name} set up a card and has no trial`);
  }
  for (const { name, heard, key, plan, email } of deeds.told) {
    if (heard?.status === 422) world.violate(`${name} was told 422 for a valid form`);
    if (heard?.status === 409 && !hasTrial(email) && !deeds.told.some(({ replaces }) => replaces === key)) {
      world.violate(`${name} was told 409 though ${email} has no trial`);
    }
    if (heard?.status !== 200) continue;
    const { client_secret } = z.object({ client_secret: text }).parse(JSON.parse(heard.text));
    const intent = stripe.setupIntents.get(client_secret.split("_secret_")[0] ?? "");
    const isOfForm =
      stripe.customers.get(intent?.customer ?? "")?.email === email && intent?.metadata.package_id === plan?.id;
    if (!isOfForm) world.violate(`${name} was given the secret of another form`);
  }
}

function countsOf(values: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
