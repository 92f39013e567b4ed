import type { CardSession, SignupSession } from "../steps";
import type { SubscriptionApi } from "../submit/api-client.server";
import type { SetupState } from "./setup-intents.server";

type Context = { api: SubscriptionApi; requestId: string };
type SuccessState = Extract<SetupState, { status: "succeeded" }>;

const CANCELLED = "This sign-up was cancelled. Please start over.";

/** Where a sign-up goes on, after what Stripe says of its card. Only a set-up that succeeded is a success. */
export async function afterSetup(session: CardSession, state: SetupState, context: Context): Promise<SignupSession> {
  const { news: _, checks = 0, waitsFor: __, ...rest } = session;
  switch (state.status) {
    case "succeeded":
      return afterSuccess(session, state, context);
    case "processing":
    case "unreachable":
      return { ...rest, editing: undefined, checks: checks + 1, waitsFor: state.status };
    case "open":
      return { ...rest, news: { failed: state.message ?? "" } };
    case "canceled":
    case "invalid":
      return { ...rest, news: { failed: CANCELLED } };
  }
}

/** Where the API tells how the sign-up stands, only a trial that has begun is a success. */
async function afterSuccess(
  session: CardSession,
  state: SuccessState,
  { api, requestId }: Context,
): Promise<SignupSession> {
  const { news: _, checks = 0, waitsFor: __, ...rest } = session;
  const answer =
    rest.statusUrl === undefined ? { status: "trial" as const } : await api.status(rest.statusUrl, requestId);
  switch (answer.status) {
    case "trial": {
      const { key, requestId, account, expiresAt, endsAt } = rest;
      const startedAt = new Date().toISOString();
      return {
        step: "done",
        expiresAt,
        endsAt,
        key,
        requestId,
        account,
        setupIntentId: state.id,
        startedAt,
        card: state.card,
        news: { saved: true },
      };
    }
    case "card_used":
      if (answer.client_secret === rest.clientSecret) break;
      return { ...rest, clientSecret: answer.client_secret, news: { cardUsed: true } };
    case "ended":
      return { ...rest, news: { failed: CANCELLED } };
  }
  return { ...rest, editing: undefined, checks: checks + 1, waitsFor: "unreachable" };
}
