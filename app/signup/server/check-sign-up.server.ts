import type { AppLoadContext } from "@remix-run/cloudflare";
import { type PendingSignUp, type SignUp, transition } from "../sign-up-state";

type Context = Pick<AppLoadContext, "api" | "setupIntents" | "requestId" | "ip" | "log">;

/** Asks Stripe about a sign-up's card, then the API about its trial, and returns the sign-up's new state. */
export async function checkSignUp(signUp: PendingSignUp, context: Context): Promise<SignUp> {
  const { api, setupIntents, requestId, log } = context;
  const { clientSecret, statusUrl } = signUp;
  const setupIntent = await setupIntents.retrieve(clientSecret, context);
  if (setupIntent.status === "unknown") log.error("setup_intent_unknown");
  const hasTrial = setupIntent.status === "succeeded" && statusUrl !== undefined;
  const trial = hasTrial ? await api.status(statusUrl, requestId) : undefined;
  return transition(signUp, setupIntent, trial, Date.now());
}
