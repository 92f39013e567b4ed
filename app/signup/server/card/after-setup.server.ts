import type { CardSession, SignupSession } from "../../steps";
import type { SubscriptionApi } from "../submit/api-client.server";
import type { SetupState } from "./read-setup-intent.server";

type Context = { api: SubscriptionApi; requestId: string };
type SuccessState = Extract<SetupState, { status: "succeeded" }>;

/** The next session for a card's state at Stripe. Only a succeeded setup is a success. */
export async function afterSetup(session: CardSession, state: SetupState, context: Context): Promise<SignupSession> {
  const { checks = 0, ...rest } = withoutFlash(session);
  switch (state.status) {
    case "succeeded":
      return afterSuccess(session, state, context);
    case "processing":
    case "unreachable":
      return { ...rest, editing: undefined, checks: checks + 1, waitsFor: state.status };
    case "open":
      return { ...rest, flash: { failed: state.message ?? "" } };
    case "canceled":
    case "invalid":
      return ended(rest);
  }
}

/** Back to the filled-in form, because the sign-up has ended. */
function ended(session: CardSession): CardSession {
  return { ...session, editing: true, ended: true };
}

/** If the API reports a status, only a started trial is a success. */
async function afterSuccess(
  session: CardSession,
  state: SuccessState,
  { api, requestId }: Context,
): Promise<SignupSession> {
  const { checks = 0, ...rest } = withoutFlash(session);
  const answer =
    rest.statusUrl === undefined
      ? { status: "trial" as const, trial_end: undefined }
      : await api.status(rest.statusUrl, requestId);
  switch (answer.status) {
    case "trial": {
      const { key, requestId, account, other, expiresAt, endsAt } = rest;
      const startedAt = new Date().toISOString();
      return {
        step: "done",
        expiresAt,
        endsAt,
        key,
        requestId,
        account,
        other,
        setupIntentId: state.id,
        startedAt,
        trialEnd: answer.trial_end,
        card: state.card,
        flash: { saved: true },
      };
    }
    case "card_used":
      if (answer.client_secret === rest.clientSecret) break;
      return { ...rest, clientSecret: answer.client_secret, flash: { cardUsed: true } };
    case "ended":
      return ended(rest);
  }
  return { ...rest, editing: undefined, checks: checks + 1, waitsFor: "unreachable" };
}

function withoutFlash({ flash: _, kept: __, waitsFor: ___, aside: ____, ...session }: CardSession): CardSession {
  return session;
}
