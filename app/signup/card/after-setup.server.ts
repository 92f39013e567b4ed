import type { CardSession, SignupSession } from "../steps";
import type { SetupState } from "./setup-intents.server";

/** Where a sign-up goes on, after what Stripe says of its card. Only a set-up that succeeded is a success. */
export function afterSetup(session: CardSession, state: SetupState): SignupSession {
  const { news: _, checks = 0, waitsFor: __, ...rest } = session;
  switch (state.status) {
    case "succeeded": {
      const { key, account, expiresAt, endsAt } = rest;
      const startedAt = new Date().toISOString();
      return {
        step: "done",
        expiresAt,
        endsAt,
        key,
        account,
        setupIntentId: state.id,
        startedAt,
        card: state.card,
        news: { saved: true },
      };
    }
    case "processing":
    case "unreachable":
      return { ...rest, editing: undefined, checks: checks + 1, waitsFor: state.status };
    case "open":
      return { ...rest, news: { failed: state.message ?? "" } };
    case "canceled":
    case "invalid":
      return { ...rest, news: { failed: "This sign-up was cancelled. Please start over." } };
  }
}
