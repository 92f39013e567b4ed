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
  ],
  "stripe/client.ts": [["a new key for each try", "{stripe_attempt}`", "{crypto.randomUUID()}`"]],
  "sign-ups/transitions.ts": [
    ["the same keys after a 5xx", "stripe_attempt: stripe_attempt + 1", "stripe_attempt"],
    ["an unfinished trial is never taken up", "check_at: after(TRIAL_START_GRACE_MS)", "check_at: null"],
  ],
  "sign-ups/store.ts": [
    ["a lost ON CONFLICT of sign-ups", "ON CONFLICT (idempotency_key) DO NOTHING", ""],
    ["messages of a later version", "signUpId: id, version })", "signUpId: id, version: version + 1 })"],
  ],
  "database.ts": [
    [
      "a batch that is no transaction",
      "const results = await d1.batch(Object.values<Statement>(statements));",
      "const results: D1Result[] = []; for (const one of Object.values<Statement>(statements)) results.push(await one.all());",
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
  "sign-ups/due-sign-ups.ts": [["cron advances nothing", "await advance(read, services)", "{ signUp: read }"]],
  "sign-ups/advance.ts": [
    ["a trial without a plan never ends", 'hasEnded ? "canceled" : "trialing"', '"trialing"'],
    ["a used card is kept", "if (card.paymentMethodId !== null) await payments.detachCard(card.paymentMethodId);", ""],
    ["a disowned subscription goes on", "await payments.cancelSubscription(subscription.stripeSubscriptionId);", ""],
    ["a sign-up abandoned within a day", "CONTINUED_FOR_MS : ABANDONED_AFTER_MS)", "CONTINUED_FOR_MS : 0)"],
    ["a reported card is kept", "await payments.releaseCard(signUp.stripe_setup_intent_id);", ""],
    ["an ended sign-up's customer is kept", "return isPast ? { delete: true }", "return !isPast ? { delete: true }"],
  ],
  "outbox/post-json.ts": [["a webhook that was refused counts as sent", "response.ok ||", "response.status > 0 ||"]],
  "limits/trial-claims.ts": [["cards are not claimed", "onePerPerson && fingerprint !== null", "false"]],
});
