import type { AppLoadContext } from "@remix-run/cloudflare";
import { type SignupSession, transition, type UnfinishedSession } from "../../session-state";

type Context = Pick<AppLoadContext, "api" | "setupIntents" | "requestId" | "ip" | "log">;

/** Asks Stripe about a sign-up's card, then the API about its trial, and returns the sign-up's new state. */
export async function checkSession(session: UnfinishedSession, context: Context): Promise<SignupSession> {
  const { api, setupIntents, requestId, log } = context;
  const { clientSecret, statusUrl } = session;
  const setupIntent = await setupIntents.retrieve(clientSecret, context);
  if (setupIntent.status === "unknown") log.error("setup_intent_unknown");
  const hasTrial = setupIntent.status === "succeeded" && statusUrl !== undefined;
  const trial = hasTrial ? await api.status(statusUrl, requestId) : undefined;
  return transition(session, setupIntent, trial, Date.now());
}
