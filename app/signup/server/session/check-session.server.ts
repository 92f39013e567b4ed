import type { AppLoadContext } from "@remix-run/cloudflare";
import { priceCentsIn } from "../../../contract/subscription-response";
import { nextState, type SignupSession, type UnfinishedSession } from "../../session-state";

type Context = Pick<AppLoadContext, "api" | "setupIntents" | "requestId" | "ip" | "log">;

/**
 * Asks the API for the price of a link's sign-up: the link may not have it, or another device may have lowered it since. Without an
 * answer, the link's price stays. Undefined if the price is then unknown, because the list price may differ.
 */
export async function withAgreedPrice(
  session: UnfinishedSession,
  { api, requestId, log }: Pick<Context, "api" | "requestId" | "log">,
): Promise<UnfinishedSession | undefined> {
  const { packageId, agreedPriceCents, statusUrl } = session;
  if (packageId === "" || statusUrl === undefined) return session;
  const answer = await api.status(statusUrl, { requestId, log });
  if (answer.status === "unreachable" && agreedPriceCents === undefined) return undefined;
  return { ...session, agreedPriceCents: priceCentsIn(answer) ?? agreedPriceCents };
}

/** Asks Stripe about a sign-up's card, then the API about its trial, and returns the sign-up's new state. */
export async function checkSession(session: UnfinishedSession, context: Context): Promise<SignupSession> {
  const { api, setupIntents, log } = context;
  const { clientSecret, statusUrl } = session;
  const setupIntent = await setupIntents.retrieve(clientSecret, context);
  if (setupIntent.status === "unknown") log.error("setup_intent_unknown");
  const hasTrial = setupIntent.status === "succeeded" && statusUrl !== undefined;
  const trial = hasTrial ? await api.status(statusUrl, context) : undefined;
  return nextState(session, setupIntent, trial, Date.now());
}
