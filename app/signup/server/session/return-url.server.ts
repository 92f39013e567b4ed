import type { AppLoadContext } from "@remix-run/cloudflare";
import type { SignupSession, SignupStep } from "../../steps";
import { afterSetup } from "../card/after-setup.server";
import { type FoundSession, renewed, switched } from "./session.server";

/** Stripe's redirect back to the site carries the client secret under this name. */
export const RETURNED_SECRET = "setup_intent_client_secret";
/** Our token in the `return_url`, which identifies the sign-up if the cookie is lost. */
export const RETURN_TOKEN = "return";

/** Anyone can send the URL to someone else, so without a session it shows an outcome only for this long. */
const OUTCOME_MS = 10 * 60 * 1000;
const CHECK_SECONDS = 10;

/**
 * Returns the next session, or the token in a browser without one. Returns neither for the secret of another sign-up.
 */
export async function afterReturn(
  secret: string,
  found: FoundSession,
  context: AppLoadContext,
): Promise<{ session?: SignupSession; token?: string }> {
  if (!("session" in found)) {
    const token = context.url.searchParams.get(RETURN_TOKEN) ?? "";
    const returned = await context.sessions.fromReturnToken(token);
    return returned?.clientSecret === secret ? { token } : {};
  }
  const session = found.session.other?.clientSecret === secret ? switched(found.session) : found.session;
  if (session?.step !== "card" || session.clientSecret !== secret) return {};
  const state = await context.setupIntents.retrieve(secret, context);
  return state.status === "invalid" ? {} : { session: renewed(await afterSetup(session, state, context)) };
}

/** The card's outcome without personal data; undefined unless the setup has succeeded or is processing. */
export async function outcomeOfReturn(packageId: string, context: AppLoadContext): Promise<SignupStep | undefined> {
  const { sessions, setupIntents, url } = context;
  const token = url.searchParams.get(RETURN_TOKEN);
  const returned = token === null ? undefined : await sessions.fromReturnToken(token, OUTCOME_MS);
  if (!returned) return undefined;
  const next = await afterSetup(returned, await setupIntents.retrieve(returned.clientSecret, context), context);
  if (next.step === "done") {
    return { step: "done", startedAt: next.startedAt, trialEnd: next.trialEnd, flash: next.flash };
  }
  if (next.checks === undefined) return undefined;
  return { step: "waiting", packageId, reason: next.waitsFor ?? "processing", refreshSeconds: CHECK_SECONDS };
}
