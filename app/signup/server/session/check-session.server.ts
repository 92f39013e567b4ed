import type { AppLoadContext } from "@remix-run/cloudflare";
import {
  type CurrentSession,
  isUnfinished,
  nextState,
  type SessionIn,
  type SignupSession,
  withSentCard,
} from "../../session-state";

type Context = Pick<AppLoadContext, "api" | "setupIntents" | "configuration" | "requestId" | "ip" | "log">;

/**
 * Asked before the site rests anything on "it still needs a card". Without an answer, such a sign-up still does.
 *
 * | the sign-up                                    | Stripe      | the API                                   |
 * | ---------------------------------------------- | ----------- | ----------------------------------------- |
 * | none, unreadable, ended, done                  | not asked   | not asked                                 |
 * | card or waiting, in the browser that signed up | asked once  | only after "succeeded"                    |
 * | card or waiting, continued by a link           | asked once  | after "open" too: its terms may be better |
 * | one that it replaced and could not end         | asked once  | not asked                                 |
 */
export async function checkSession(
  session: SessionIn<"card" | "waiting">,
  context: Context,
  signal = deadline(context),
): Promise<SignupSession> {
  const { api, setupIntents, log, requestId } = context;
  const { clientSecret, statusUrl, details } = session;
  const [setupIntent, latest] = await Promise.all([
    setupIntents.retrieve(clientSecret, context),
    withReplaced(session, context),
  ]);
  if (setupIntent.status === "unknown") log.error("setup_intent_unknown");
  const needsApi = setupIntent.status === "succeeded" || (setupIntent.status === "open" && details === undefined);
  const trial =
    needsApi && statusUrl !== undefined ? await api.status(statusUrl, { requestId, log, signal }) : undefined;
  return nextState(latest, setupIntent, trial, Date.now());
}

/** Also asks about the sign-up that this one replaced, as long as a card may still be set up for it. */
async function withReplaced(session: SessionIn<"card" | "waiting">, context: Context): Promise<typeof session> {
  const { replaced } = session;
  if (replaced === undefined || replaced.hasCard) return session;
  const { status } = await context.setupIntents.retrieve(replaced.clientSecret, context);
  if (status === "canceled") return { ...session, replaced: undefined };
  return status === "succeeded" ? { ...session, replaced: { ...replaced, hasCard: true } } : session;
}

/**
 * Ends a sign-up unless its card is processed or set up. At an API that cannot end one, only asks about the card.
 * Undefined if the browser has none that could get a card.
 */
export async function endSession(current: CurrentSession, context: Context): Promise<SignupSession | undefined> {
  if (!isUnfinished(current)) return undefined;
  const { api, log, requestId } = context;
  const signal = deadline(context);
  const answer = current.statusUrl && (await api.end(current.statusUrl, { requestId, log, signal }));
  if (!answer || answer.status === "unknown" || answer.status === "unreachable")
    return checkSession(current, context, signal);
  const said = nextState(current, { status: "succeeded" }, answer, Date.now());
  if (said.state === "ended") return said;
  const checked = await checkSession(withSentCard(current), context, signal);
  return said.state === "done" && !hasCard(checked) ? said : checked;
}

const deadline = ({ configuration }: Context) => AbortSignal.timeout(configuration.SUBSCRIPTION_API_TIMEOUT_MS);

export function hasCard(session: SignupSession | undefined): session is SessionIn<"waiting" | "done"> {
  return session?.state === "waiting" || session?.state === "done";
}
