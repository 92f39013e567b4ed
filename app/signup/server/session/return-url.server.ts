import type { AppLoadContext } from "@remix-run/cloudflare";
import type { SignupSession, SignupStep } from "../../steps";
import { afterSetup } from "../card/after-setup.server";
import { type FoundSession, renewed, switched } from "./session.server";

/** Stripe's redirect back to the site carries the client secret under this name. */
export const RETURNED_SECRET = "setup_intent_client_secret";
/** Our own, in the `return_url`: which sign-up it is, should the cookie be lost on the way. */
export const RETURN_TOKEN = "return";

/** Anybody can send somebody else the URL, so without a session it tells an outcome only for this long. */
const OUTCOME_MS = 10 * 60 * 1000;
const CHECK_SECONDS = 10;

/**
 * The session goes on as Stripe says; in a browser without one the sign-up's token does. A secret of neither changes nothing.
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

/** What became of the card, and nothing of whose it is. Undefined unless it is set up, or may still be. */
export async function outcomeOfReturn(packageId: string, context: AppLoadContext): Promise<SignupStep | undefined> {
  const { sessions, setupIntents, url } = context;
  const token = url.searchParams.get(RETURN_TOKEN);
  const returned = token === null ? undefined : await sessions.fromReturnToken(token, OUTCOME_MS);
  if (!returned) return undefined;
  const next = await afterSetup(returned, await setupIntents.retrieve(returned.clientSecret, context), context);
  if (next.step === "done") return { step: "done", startedAt: next.startedAt, flash: next.flash };
  if (next.checks === undefined) return undefined;
  return { step: "waiting", packageId, reason: next.waitsFor ?? "processing", refreshSeconds: CHECK_SECONDS };
}
