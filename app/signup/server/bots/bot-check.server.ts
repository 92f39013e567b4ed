import type { AppLoadContext } from "@remix-run/cloudflare";
import type { SubscriptionRequest } from "../../../contract/subscription-request";
import { type Refusal, TOO_MANY_REQUESTS } from "../../../pipeline/guard/refusals.server";
import type { PostedForm } from "../../../pipeline/guard/request-body.server";
import { CONFIRMATION_FIELD, TURNSTILE_FIELD } from "../../form-schema";
import { type Notice, noticeForRefusal } from "../../notices";
import type { SignupReply } from "../../steps";
import { isConfirmedTooOften, signalsOf } from "./signals.server";

/** Signals that trigger a challenge. */
const ENOUGH_SIGNALS = 2;

const ONE_MORE_STEP = "One more step";
const ASK = "Press the button at the end of the form to confirm you're not a bot.";
const PASSWORD_AGAIN = ["Enter your password again"];

export interface Question {
  httpStatus: number;
  /** Added to the returned form. */
  reply: SignupReply;
}

type BotCheck =
  | { status: "asks"; question: Question }
  | { status: "unasked" }
  /** Its button was pressed; `isVerified` by Turnstile too. */
  | { status: "confirmed"; isVerified: boolean };

/**
 * Challenges a valid form with two or more bot signals, unless `BOT_CHECK` is false. A confirmed form passes within the rate
 * limits.
 */
export async function checkForBots(
  form: PostedForm,
  request: SubscriptionRequest,
  context: AppLoadContext,
): Promise<BotCheck> {
  const { configuration, challenges, log, nonces, turnstile } = context;
  if (!configuration.BOT_CHECK) return { status: "unasked" };
  const asks = async (signals: string[], refusal?: Refusal): Promise<BotCheck> => {
    return { status: "asks", question: await questionAbout(signals, form, request, context, refusal) };
  };
  const posted = form.form_nonce ?? "";
  const issued = await nonces.read(posted);
  if (issued && (await challenges.isFor(form[CONFIRMATION_FIELD] ?? "", posted, request))) {
    const verdict = await turnstile.verify(form[TURNSTILE_FIELD], log);
    if (verdict === "failed") return asks(["turnstile"]);
    if (verdict === "passed") return { status: "confirmed", isVerified: true };
    if (await isConfirmedTooOften(issued, context)) return asks(["confirmed_too_often"], TOO_MANY_REQUESTS);
    return { status: "confirmed", isVerified: false };
  }
  const signals = await signalsOf(form, issued, context);
  return signals.length < ENOUGH_SIGNALS ? { status: "unasked" } : asks(signals);
}

/** True if Turnstile is configured. */
export function canVerify({ configuration, turnstile }: AppLoadContext): boolean {
  return configuration.BOT_CHECK && turnstile.siteKey !== undefined;
}

/** Returns the form with a confirm button, and with Turnstile if it is configured. */
export async function questionAbout(
  signals: string[],
  form: PostedForm,
  request: SubscriptionRequest,
  context: AppLoadContext,
  refusal?: Refusal,
): Promise<Question> {
  const { challenges, log, nonces, turnstile } = context;
  log.warn("signup_suspected", { signals });
  const posted = form.form_nonce ?? "";
  const formNonce = (await nonces.read(posted)) ? posted : await nonces.issue();
  const token = await challenges.issue(formNonce, request);
  return {
    httpStatus: refusal?.status ?? 422,
    reply: {
      notice: refusal ? noticeForRefusal(refusal) : questionNotice(context),
      formNonce,
      challenge: { token, siteKey: turnstile.siteKey },
    },
  };
}

/** A page that posted by script still has the passwords. */
function questionNotice({ route }: AppLoadContext): Notice {
  if (route?.isData) return { kind: "progress", title: ONE_MORE_STEP, message: ASK };
  return {
    kind: "progress",
    title: ONE_MORE_STEP,
    message: `We kept your details but not your password. Enter it again. ${ASK}`,
    fields: { password: PASSWORD_AGAIN, confirmPassword: PASSWORD_AGAIN },
  };
}
