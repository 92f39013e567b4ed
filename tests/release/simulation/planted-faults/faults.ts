import { type LoadedApi, loadApi } from "../loaded-api";

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

/** Each has to be found within 400 sign-ups; `npm run simulate:faults` proves it. */
export const FAULTS: Fault[] = [
  one(
    "no idempotency key for a customer",
    "stripe/payments.ts",
    '{ idempotencyKey: idempotencyKey("customer", signUp) },',
    "",
  ),
  one(
    "no idempotency key for a subscription",
    "stripe/payments.ts",
    "{ idempotencyKey: idempotencyKey(object, signUp) },",
    "",
  ),
  one(
    "a new idempotency key for each try",
    "stripe/client.ts",
    "{ id, stripe_attempt }: Attempt): string {",
    "{ id }: Attempt): string {\n  const stripe_attempt = crypto.randomUUID();",
  ),
  one(
    "new keys after a failed read",
    "stripe/client.ts",
    "return answerOf(schema, request, reasonOf);",
    'return answerOf(schema, request, (error) => (isRepeated(error) ? "failed" : reasonOf(error)));',
  ),
  one(
    "the same keys after a 5xx",
    "sign-ups/store/sign-up-store.ts",
    "SET stripe_attempt = ?2 + 1",
    "SET stripe_attempt = ?2",
  ),
  one(
    "what an earlier attempt made is not looked for",
    "stripe/client.ts",
    "return stripe_attempt > 0 || Date.now()",
    "return Date.now()",
  ),
  one(
    "a lost ON CONFLICT of sign-ups",
    "sign-ups/store/sign-up-store.ts",
    "ON CONFLICT (idempotency_key) DO NOTHING",
    "",
  ),
  one(
    "messages after the state that they wait for",
    "sign-ups/store/sign-up-lifecycle.ts",
    "kind, signUpId: id }, \"status = 'card_set_up'\")",
    "kind, signUpId: id }, 'stripe_subscription_id IS NOT NULL')",
  ),
  {
    name: "a batch that is no transaction",
    changes: [
      {
        file: "sign-ups/store/sign-up-lifecycle.ts",
        from: `const results = await db.batch([
        ...messages.map(`,
        to: `const inTurn = async (all) => { const done = []; for (const one of all) done.push(await one.all()); return done; };
      const results = await inTurn([
        ...messages.map(`,
      },
    ],
  },
  one(
    "a trial for whoever has no claim",
    "sign-ups/store/sign-up-lifecycle.ts",
    'const hasClaim = "EXISTS (SELECT 1 FROM trial_claims WHERE sign_up_id = mine.id)"',
    'const hasClaim = "TRUE"',
  ),
  one("a lease of one second", "outbox/outbox.ts", "const LEASE_MS = 60_000", "const LEASE_MS = 1_000"),
  one(
    "a message settled before it is sent",
    "outbox/dispatch.ts",
    "const outcome = await send(message, services);",
    "await services.outbox.settle(message, null);\n    const outcome = await send(message, services);",
  ),
  one(
    "no reconciliation of pending sign-ups",
    "sign-ups/reconcile.ts",
    'if (setupIntent?.state === "succeeded") return handleCardSetUp(signUp, setupIntent, services);',
    "",
  ),
  one(
    "no reconciliation of trials at Stripe",
    "sign-ups/reconcile.ts",
    "return reconcileTrial(signUp, services);",
    "return signUp.stripe_subscription_id === null ? reconcileTrial(signUp, services) : signUp.status;",
  ),
  one(
    "a trial without a plan never ends",
    "sign-ups/reconcile.ts",
    'status: "canceled" as const, trialEnd: null',
    'status: "trialing" as const, trialEnd: null',
  ),
  one(
    "a used card is kept",
    "sign-ups/ending/failed-cards.ts",
    "if (paymentMethodId !== null) await services.payments.detachCard(paymentMethodId);",
    "",
  ),
  one(
    "an unfinished trial is never taken up",
    "sign-ups/store/sign-up-lifecycle.ts",
    "THEN ?8 ELSE ?7 END",
    "THEN NULL ELSE ?7 END",
  ),
  one("a back-off that does not grow", "outbox/outbox.ts", "FIRST_DELAY_MS * 2 ** attempts", "FIRST_DELAY_MS"),
  one(
    "a paused subscription taken as active",
    "stripe/payments.ts",
    "const status = z.union([",
    'const status = z.union([z.literal("paused").transform(() => "active" as const),',
  ),
  one("a lost await", "sign-ups/start-trial.ts", "await payments.setDefaultCard(", "void payments.setDefaultCard("),
  one(
    "a webhook that was refused counts as sent",
    "outbox/account-webhook.ts",
    'response.ok ? { status: "sent" }',
    'response ? { status: "sent" }',
  ),
  one("cards are not claimed", "limits/trial-claims.ts", "onePerPerson && fingerprint !== null", "false"),
  one(
    "a disowned subscription goes on",
    "sign-ups/ending/report-not-me.ts",
    "await payments.cancelSubscription(signUp.stripe_subscription_id);",
    "{}",
  ),
  one(
    "a sign-up abandoned within a day",
    "sign-ups/reconcile.ts",
    "if (!isOlder(signUp, keptMs)) return",
    "if (!isOlder(signUp, keptMs / 4)) return",
  ),
  one("a reported card is kept", "sign-ups/ending/report-not-me.ts", "  await releaseCard(signUp, payments);", ""),
];

/** Faults that need more than 400 sign-ups: `npm run simulate:faults -- --rare`. Unit tests notice the first six. */
export const RARE_FAULTS: Fault[] = [
  one(
    "a state that is written over a newer one",
    "sign-ups/store/sign-up-lifecycle.ts",
    "WHERE id = ?1 AND version = ?2\n           RETURNING id",
    "WHERE id = ?1 AND ?2 IS NOT NULL\n           RETURNING id",
  ),
  one(
    "a customer that was not recorded stays at Stripe",
    "sign-ups/reconcile.ts",
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
    "an event remembered after a lost race",
    "sign-ups/store/sign-up-lifecycle.ts",
    "processedEvent(db, event, unchanged, read.id, read.version)",
    "processedEvent(db, event)",
  ),
  one(
    "a request in progress taken as failed",
    "stripe/client.ts",
    'if (error.statusCode === 409) return "in-progress";',
    'if (error.statusCode === 409) return "failed";',
  ),
  one(
    "a sign-up deleted that changed meanwhile",
    "sign-ups/store/sign-up-store.ts",
    "DELETE FROM sign_ups WHERE id = ? AND status = ?",
    "DELETE FROM sign_ups WHERE id = ? AND ? IS NOT NULL",
  ),
  one(
    "any sign-up can be given up",
    "sign-ups/store/sign-up-lifecycle.ts",
    "WHERE id = ?2 AND status = 'pending'",
    "WHERE id = ?2",
  ),
  one("keys taken as known for 24 hours", "stripe/client.ts", "= 23 * 60 * 60_000", "= 24 * 60 * 60_000"),
  one("an erased sign-up under way", "sign-ups/personal-data.ts", "of await payments.findCustomersOf(email)", "of []"),
];
