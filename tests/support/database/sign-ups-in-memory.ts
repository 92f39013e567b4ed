import { vi } from "vitest";
import { packagesIn } from "../../../functions/subscription-api/catalogue/packages";
import { signUpCountsIn } from "../../../functions/subscription-api/limits/sign-up-counts";
import { trialClaims } from "../../../functions/subscription-api/limits/trial-claims";
import type { SignUpServices } from "../../../functions/subscription-api/sign-ups/create-sign-up";
import type { SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { processedEventsIn } from "../../../functions/subscription-api/sign-ups/store/processed-events";
import { signUpEndingsIn } from "../../../functions/subscription-api/sign-ups/store/sign-up-endings";
import { signUpLifecycleIn } from "../../../functions/subscription-api/sign-ups/store/sign-up-lifecycle";
import { signUpsIn } from "../../../functions/subscription-api/sign-ups/store/sign-up-store";
import type { Payments } from "../../../functions/subscription-api/stripe/payments";
import { paymentsInMemory } from "../stripe/payments-in-memory";
import type { validRequest } from "../visitors/visitor";
import { databaseInMemory } from "./database-in-memory";

const count = () => {};

/** Hashes that take no time. */
const hasher = {
  hash: async (password: string) => `hash of ${password}`,
  verify: async (password: string, stored: string) => stored === `hash of ${password}`,
};

/** Sign-ups with the API's own stores in memory. What is logged is kept, until `vi.restoreAllMocks()`. */
export function signUpsOver(payments: Payments, { onePerPerson }: { onePerPerson: boolean }) {
  const { db, rows, signUp } = databaseInMemory();
  const trials = { hashSecret: "keys the hashes of a test", onePerPerson, signUpsPerDay: { email: 50, sender: 50 } };
  const logged: Record<string, unknown>[] = [];
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => logged.push(JSON.parse(line)));
  const services: SignUpServices = {
    packages: packagesIn(db),
    signUps: signUpsIn(db, count),
    lifecycle: signUpLifecycleIn(db, count),
    endings: signUpEndingsIn(db, count),
    processedEvents: processedEventsIn(db),
    payments,
    claims: trialClaims(trials),
    counts: signUpCountsIn(db, trials),
    passwords: { inTurn: (work) => work(hasher), leave: () => {} },
    inBackground: () => {},
    requestId: "the-request",
  };

  const find = async (id: string): Promise<SignUp> => {
    const found = await services.signUps.find(id);
    if (!found) throw new Error("There is no such sign-up");
    return found;
  };

  return {
    db,
    rows,
    services,
    logged,
    find,
    /** A sign-up with these columns, as SQL. */
    async signUpWith(columns = "status = 'pending'", fields: Partial<typeof validRequest> = {}): Promise<SignUp> {
      const { id } = await signUp(fields);
      rows(`UPDATE sign_ups SET ${columns} WHERE id = ?`, id);
      return find(id);
    },
    /** Kinds and times of the messages that are due, in this order. */
    messages: () => rows("SELECT kind, next_attempt_at FROM outbox ORDER BY kind"),
    isProcessed: (event: { id: string; type: string }) => services.processedEvents.has(event),
  };
}

/** The same with payments that a test makes up. */
export function signUpsInMemory() {
  const stripe = paymentsInMemory();
  return { stripe, ...signUpsOver(stripe.payments, { onePerPerson: true }) };
}
