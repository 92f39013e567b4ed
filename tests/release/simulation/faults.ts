import { type LoadedApi, loadApi } from "./loaded-api";

/** A plausible bug: a text in a file of the API's source, and what is planted in its place. */
export type Fault = { name: string; file: string; from: string; to: string };

/** The API with the fault. Throws if the source no longer contains the changed text. */
export async function loadWith({ name, file, from, to }: Fault): Promise<LoadedApi> {
  let isPlanted = false;
  const loaded = await loadApi((path, text) => {
    if (!path.endsWith(`/${file}`) || !text.includes(from)) return text;
    isPlanted = true;
    return text.replace(from, () => to);
  });
  if (!isPlanted) throw new Error(`${name}: ${file} has no "${from}"`);
  return loaded;
}

/** Faults by file: name, text, planted text. */
function inFiles(files: Record<string, [name: string, from: string, to: string][]>): Fault[] {
  return Object.entries(files).flatMap(([file, all]) => all.map(([name, from, to]) => ({ name, file, from, to })));
}

/** Each has to be found within 400 sign-ups; `npm run simulate -- --faults` proves it. */
export const FAULTS = inFiles({
  "stripe/payments.ts": [
    ["no key for a customer", '{ idempotencyKey: idempotencyKey("customer", signUp) },', ""],
    ["no key for a subscription", "{ idempotencyKey: idempotencyKey(object, signUp) },", ""],
    [
      "a paused subscription taken as active",
      "const subscriptionStatus = z.union([",
      'const subscriptionStatus = z.union([z.literal("paused").transform(() => "active" as const),',
    ],
  ],
  "stripe/client.ts": [
    [
      "a new key for each try",
      "(object: string, { id, stripe_attempt }: Attempt): string {",
      "(object: string, { id }: Attempt): string {\n  const stripe_attempt = crypto.randomUUID();",
    ],
  ],
  "sign-ups/transitions.ts": [
    ["the same keys after a 5xx", "stripe_attempt: stripe_attempt + 1", "stripe_attempt"],
    [
      "an unfinished trial is never taken up",
      'status: "card_set_up", check_at: after(TRIAL_START_GRACE_MS)',
      'status: "card_set_up", check_at: null',
    ],
  ],
  "sign-ups/store.ts": [
    ["a lost ON CONFLICT of sign-ups", "ON CONFLICT (idempotency_key) DO NOTHING", ""],
    ["messages after the version that they wait for", ", version, ...values);", ", version + 1, ...values);"],
  ],
  "database.ts": [
    [
      "a batch that is no transaction",
      "run(() => d1.batch(all))",
      "run(async () => { const done = []; for (const one of all) done.push(await one.all()); return done; })",
    ],
  ],
  "outbox/outbox.ts": [
    ["a lease of one second", "LEASE_MS = 120_000", "LEASE_MS = 1_000"],
    ["a back-off that does not grow", "FIRST_DELAY_MS * 2 ** attempts", "FIRST_DELAY_MS"],
  ],
  "outbox/dispatch.ts": [
    [
      "a message settled before it is sent",
      "const outcome = await send(message, services);",
      "await services.outbox.settle(message, null);\n    const outcome = await send(message, services);",
    ],
  ],
  "sign-ups/due-sign-ups.ts": [
    [
      "cron leaves pending sign-ups alone",
      "await advance(read, services);",
      'read.status === "pending" ? { signUp: read } : await advance(read, services);',
    ],
    [
      "cron leaves trials alone",
      "await advance(read, services);",
      'read.status === "trialing" ? { signUp: read } : await advance(read, services);',
    ],
  ],
  "sign-ups/advance.ts": [
    ["a trial without a plan never ends", 'hasEnded ? "canceled" : "trialing"', '"trialing"'],
    ["a used card is kept", "if (card.paymentMethodId !== null) await payments.detachCard(card.paymentMethodId);", ""],
    ["a lost await", "await payments.setDefaultCard(", "void payments.setDefaultCard("],
    ["a disowned subscription goes on", "await payments.cancelSubscription(subscription.stripeSubscriptionId);", ""],
    [
      "a sign-up abandoned within a day",
      "CONTINUED_FOR_MS : ABANDONED_AFTER_MS)",
      "CONTINUED_FOR_MS : ABANDONED_AFTER_MS / 4)",
    ],
    ["a reported card is kept", "await payments.releaseCard(signUp.stripe_setup_intent_id);", ""],
    ["an ended sign-up's customer is kept", "return isPast ? { delete: true }", "return !isPast ? { delete: true }"],
  ],
  "outbox/post-json.ts": [["a webhook that was refused counts as sent", "response.ok ||", "response.status > 0 ||"]],
  "limits/trial-claims.ts": [["cards are not claimed", "onePerPerson && fingerprint !== null", "false"]],
});

/** Faults that need more than 400 sign-ups: `npm run simulate -- --rare`. Unit tests notice the first ones. */
export const RARE_FAULTS = inFiles({
  "stripe/client.ts": [
    ["an earlier attempt's work is not looked for", "return stripe_attempt > 0 || Date.now()", "return Date.now()"],
    [
      "new keys after a failed read",
      "return answerOf(request, reasonOf);",
      'return answerOf(request, (error) => (isRepeated(error) ? "failed" : reasonOf(error)));',
    ],
    [
      "a request in progress taken as failed",
      'if (error.statusCode === 409) return "in-progress";',
      'if (error.statusCode === 409) return "failed";',
    ],
    ["keys taken as known for 24 hours", "= 23 * 60 * 60_000", "= 24 * 60 * 60_000"],
  ],
  "sign-ups/store.ts": [
    [
      "a trial for whoever has no claim",
      'claims ? "AND EXISTS (SELECT 1 FROM trial_claims WHERE sign_up_id = sign_ups.id)" : ""',
      '""',
    ],
    ["a row written over that has changed", "WHERE id = ? AND version = ? $", "WHERE id = ? AND ? IS NOT NULL $"],
    [
      "a sign-up deleted that changed meanwhile",
      '"DELETE FROM sign_ups WHERE id = ? AND version = ?"',
      '"DELETE FROM sign_ups WHERE id = ? AND ? IS NOT NULL"',
    ],
  ],
  "sign-ups/advance.ts": [
    [
      "an unrecorded customer stays at Stripe",
      "signUp.stripe_customer_id ?? (await payments.findCustomer(signUp))",
      "signUp.stripe_customer_id ?? undefined",
    ],
  ],
  "outbox/outbox.ts": [
    [
      "a lease counts as a failure",
      "UPDATE outbox SET next_attempt_at = ?1",
      "UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ?1",
    ],
    ["a back-off without an end", "** attempts, MAX_DELAY_MS)", "** attempts)"],
  ],
  "stripe/payments.ts": [["any customer of the email address", "metadata.sign_up_id === signUpId", "signUpId !== ''"]],
  "sign-ups/personal-data.ts": [["an erased sign-up under way", "new Set(atStripe.map(({ id }) => id))", "new Set()"]],
});
