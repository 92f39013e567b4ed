/** A bug that somebody could write: what becomes of the API's source. */
export type Fault = { name: string; changes: { file: string; from: string; to: string }[] };

const one = (name: string, file: string, from: string, to: string): Fault => ({ name, changes: [{ file, from, to }] });

/** Each has to be found within a minute; `npm run simulate -- --faults` proves it. */
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
    '{ idempotencyKey: idempotencyKey("subscription", signUp) },',
    "",
  ),
  one(
    "a new idempotency key for each try",
    "stripe/client.ts",
    "{ id, stripe_attempt }: Attempt): string {",
    "{ id }: Attempt): string {\n  const stripe_attempt = crypto.randomUUID();",
  ),
  one(
    "the same keys after a 5xx",
    "sign-ups/sign-up-store.ts",
    "SET stripe_attempt = ?2 + 1",
    "SET stripe_attempt = ?2",
  ),
  one(
    "what an earlier attempt made is not looked for",
    "stripe/client.ts",
    "return stripe_attempt > 0 || Date.now()",
    "return Date.now()",
  ),
  one("a lost ON CONFLICT of sign-ups", "sign-ups/sign-up-store.ts", "ON CONFLICT (idempotency_key) DO NOTHING", ""),
  one(
    "a lost ON CONFLICT of counts",
    "limits/sign-up-counts.ts",
    "ON CONFLICT (day, hash) DO UPDATE SET n = n + 1 WHERE n < ?3",
    "",
  ),
  one(
    "messages after the state that they wait for",
    "sign-ups/sign-up-lifecycle.ts",
    "kind, signUpId: id }, AWAITS_TRIAL)",
    "kind, signUpId: id }, 'stripe_subscription_id IS NOT NULL')",
  ),
  {
    name: "a batch that is no transaction",
    changes: [
      {
        file: "sign-ups/sign-up-lifecycle.ts",
        from: `const results = await db.batch([
        ...messages.map(`,
        to: `const inTurn = async (all) => { const done = []; for (const one of all) done.push(await one.all()); return done; };
      const results = await inTurn([
        ...messages.map(`,
      },
    ],
  },
  one(
    "a webhook that trusts its body",
    "stripe/webhook.ts",
    "return undefined;\n    }\n  }",
    "return JSON.parse(body);\n    }\n  }",
  ),
  one(
    "a trial for whoever has no claim",
    "sign-ups/sign-up-lifecycle.ts",
    'const hasClaim = "EXISTS (SELECT 1 FROM trial_claims WHERE sign_up_id = mine.id)"',
    'const hasClaim = "TRUE"',
  ),
  one(
    "a state that is written over a newer one",
    "sign-ups/sign-up-lifecycle.ts",
    "WHERE id = ?1 AND version = ?2\n           RETURNING id",
    "WHERE id = ?1 AND ?2 IS NOT NULL\n           RETURNING id",
  ),
  one("a lease that never ends", "outbox/outbox.ts", "now.getTime() + LEASE_MS)", "now.getTime() + 1e12)"),
  one("a lease of no time", "outbox/outbox.ts", "const LEASE_MS = 60_000", "const LEASE_MS = -1"),
  one(
    "a message settled before it is sent",
    "outbox/dispatch.ts",
    "const outcome = await send(message, services);",
    "await services.outbox.settle(message, null);\n    const outcome = await send(message, services);",
  ),
  one(
    "a mail without its key",
    "outbox/mail.ts",
    '"idempotency-key": key }',
    '"idempotency-key": crypto.randomUUID() }',
  ),
  one(
    "an account webhook with another id each time",
    "outbox/account-webhook.ts",
    '"webhook-id": message.key',
    '"webhook-id": crypto.randomUUID()',
  ),
  one(
    "no reconciliation of pending sign-ups",
    "sign-ups/reconcile.ts",
    'if (setupIntent?.state === "succeeded") return handleCardSetUp(signUp, setupIntent, services);',
    "",
  ),
  one(
    "a customer that was not recorded stays at Stripe",
    "sign-ups/reconcile.ts",
    "signUp.stripe_customer_id ?? (await payments.findCustomer(signUp))",
    "signUp.stripe_customer_id ?? undefined",
  ),
  one(
    "an abandoned sign-up stays at Stripe",
    "sign-ups/reconcile.ts",
    "if (customerId !== undefined) await payments.deleteCustomer(customerId);",
    "",
  ),
  one(
    "a used card is kept",
    "sign-ups/failed-cards.ts",
    "if (paymentMethodId !== null) await services.payments.detachCard(paymentMethodId);",
    "",
  ),
  one(
    "a key reused for another form gets the secret",
    "sign-ups/create-sign-up.ts",
    "if (!samePassword || !hasFieldsOf(stored, request))",
    "if (!samePassword)",
  ),
  one("the price of another plan", "sign-ups/trial.ts", "priceId: chosen.stripe_price_id", 'priceId: "price_standard"'),
  one("a trial of no days", "stripe/payments.ts", "trial_period_days: TRIAL_DAYS", "trial_period_days: 0"),
  one(
    "an unfinished trial is never taken up",
    "sign-ups/sign-up-lifecycle.ts",
    "THEN ?8 ELSE ?7 END",
    "THEN NULL ELSE ?7 END",
  ),
];
