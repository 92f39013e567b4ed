import { type LoadedApi, loadApi } from "./loaded-api";

/** A plausible bug, as changes of the API's source. */
export type Fault = { name: string; changes: { file: string; from: string; to: string }[] };

const one = (name: string, file: string, from: string, to: string): Fault => ({ name, changes: [{ file, from, to }] });

/** The API with the fault. Throws if the source no longer contains the changed text. */
export async function loadWith({ name, changes }: Fault): Promise<LoadedApi> {
  const left = new Set(changes);
  const loaded = await loadApi((path, text) => {
    let planted = text;
    for (const change of changes.filter(({ file, from }) => path.endsWith(`/${file}`) && planted.includes(from))) {
      planted = planted.replace(change.from, () => change.to);
      left.delete(change);
    }
    return planted;
  });
  for (const { file, from } of left) throw new Error(`${name}: ${file} has no "${from}"`);
  return loaded;
}

/** Each has to be found within 400 sign-ups; `npm run simulate -- --faults` proves it. */
export const FAULTS: Fault[] = [
  one("no key for a customer", "stripe/payments.ts", '{ idempotencyKey: idempotencyKey("customer", signUp) },', ""),
  one("no key for a subscription", "stripe/payments.ts", "{ idempotencyKey: idempotencyKey(object, signUp) },", ""),
  one(
    "a new key for each try",
    "stripe/client.ts",
    "(object: string, { id, stripe_attempt }: Attempt): string {",
    "(object: string, { id }: Attempt): string {\n  const stripe_attempt = crypto.randomUUID();",
  ),
  one("the same keys after a 5xx", "sign-ups/transitions.ts", "stripe_attempt: stripe_attempt + 1", "stripe_attempt"),
  one("a lost ON CONFLICT of sign-ups", "sign-ups/store.ts", "ON CONFLICT (idempotency_key) DO NOTHING", ""),
  one(
    "messages after the version that they wait for",
    "sign-ups/store.ts",
    "signUpId: id, version })",
    "signUpId: id, version: version + 1 })",
  ),
  {
    name: "a batch that is no transaction",
    changes: [
      {
        file: "database.ts",
        from: "const results = await d1.batch(Object.values<Statement>(statements));",
        to: "const results: D1Result[] = []; for (const one of Object.values<Statement>(statements)) results.push(await one.all());",
      },
    ],
  },
  one("a lease of one second", "outbox/outbox.ts", "LEASE_MS = 120_000", "LEASE_MS = 1_000"),
  one(
    "a message settled before it is sent",
    "outbox/dispatch.ts",
    "const outcome = await send(message, services);",
    "await services.outbox.settle(message, null);\n    const outcome = await send(message, services);",
  ),
  one(
    "cron leaves pending sign-ups alone",
    "sign-ups/due-sign-ups.ts",
    "await advance(read, services);",
    'read.status === "pending" ? { signUp: read } : await advance(read, services);',
  ),
  one(
    "cron leaves trials alone",
    "sign-ups/due-sign-ups.ts",
    "await advance(read, services);",
    'read.status === "trialing" ? { signUp: read } : await advance(read, services);',
  ),
  one("a trial without a plan never ends", "sign-ups/advance.ts", 'hasEnded ? "canceled" : "trialing"', '"trialing"'),
  one(
    "a used card is kept",
    "sign-ups/advance.ts",
    "if (card.paymentMethodId !== null) await payments.detachCard(card.paymentMethodId);",
    "",
  ),
  one(
    "an unfinished trial is never taken up",
    "sign-ups/transitions.ts",
    'status: "card_set_up", check_at: after(TRIAL_START_GRACE_MS)',
    'status: "card_set_up", check_at: null',
  ),
  one("a back-off that does not grow", "outbox/outbox.ts", "FIRST_DELAY_MS * 2 ** attempts", "FIRST_DELAY_MS"),
  one(
    "a paused subscription taken as active",
    "stripe/payments.ts",
    "const subscriptionStatus = z.union([",
    'const subscriptionStatus = z.union([z.literal("paused").transform(() => "active" as const),',
  ),
  one("a lost await", "sign-ups/advance.ts", "await payments.setDefaultCard(", "void payments.setDefaultCard("),
  one("a webhook that was refused counts as sent", "outbox/post-json.ts", "response.ok ||", "response.status > 0 ||"),
  one("cards are not claimed", "limits/trial-claims.ts", "onePerPerson && fingerprint !== null", "false"),
  one(
    "a disowned subscription goes on",
    "sign-ups/advance.ts",
    "await payments.cancelSubscription(subscription.stripeSubscriptionId);",
    "",
  ),
  one(
    "a sign-up abandoned within a day",
    "sign-ups/advance.ts",
    "CONTINUED_FOR_MS : ABANDONED_AFTER_MS)",
    "CONTINUED_FOR_MS : ABANDONED_AFTER_MS / 4)",
  ),
  one(
    "a reported card is kept",
    "sign-ups/advance.ts",
    "await payments.releaseCard(signUp.stripe_setup_intent_id);",
    "",
  ),
  one(
    "an ended sign-up's customer is kept",
    "sign-ups/advance.ts",
    "return isPast ? { delete: true }",
    "return !isPast ? { delete: true }",
  ),
];

/** Faults that need more than 400 sign-ups: `npm run simulate -- --rare`. Unit tests notice the first ones. */
export const RARE_FAULTS: Fault[] = [
  one(
    "an earlier attempt's work is not looked for",
    "stripe/client.ts",
    "return stripe_attempt > 0 || Date.now()",
    "return Date.now()",
  ),
  one(
    "a trial for whoever has no claim",
    "sign-ups/store.ts",
    'claims ? "AND EXISTS (SELECT 1 FROM trial_claims WHERE sign_up_id = sign_ups.id)" : ""',
    '""',
  ),
  one(
    "new keys after a failed read",
    "stripe/client.ts",
    "return answerOf(request, reasonOf);",
    'return answerOf(request, (error) => (isRepeated(error) ? "failed" : reasonOf(error)));',
  ),
  one(
    "a row written over that has changed",
    "sign-ups/store.ts",
    "WHERE id = ? AND version = ? $",
    "WHERE id = ? AND ? IS NOT NULL $",
  ),
  one(
    "an unrecorded customer stays at Stripe",
    "sign-ups/advance.ts",
    "signUp.stripe_customer_id ?? (await payments.findCustomer(signUp))",
    "signUp.stripe_customer_id ?? undefined",
  ),
  one(
    "a lease counts as a failure",
    "outbox/outbox.ts",
    "UPDATE outbox SET next_attempt_at = ?1",
    "UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ?1",
  ),
  one("any customer of the email address", "stripe/payments.ts", "metadata.sign_up_id === signUpId", "signUpId !== ''"),
  one("a back-off without an end", "outbox/outbox.ts", "** attempts, MAX_DELAY_MS)", "** attempts)"),
  one(
    "a request in progress taken as failed",
    "stripe/client.ts",
    'if (error.statusCode === 409) return "in-progress";',
    'if (error.statusCode === 409) return "failed";',
  ),
  one(
    "a sign-up deleted that changed meanwhile",
    "sign-ups/store.ts",
    '"DELETE FROM sign_ups WHERE id = ? AND version = ?"',
    '"DELETE FROM sign_ups WHERE id = ? AND ? IS NOT NULL"',
  ),
  one("keys taken as known for 24 hours", "stripe/client.ts", "= 23 * 60 * 60_000", "= 24 * 60 * 60_000"),
  one("an erased sign-up under way", "sign-ups/personal-data.ts", "new Set(atStripe.map(({ id }) => id))", "new Set()"),
];
