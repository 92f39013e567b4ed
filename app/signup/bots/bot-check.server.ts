import type { AppLoadContext } from "@remix-run/cloudflare";
import type { SubscriptionRequest } from "../../contract/subscription-request";
import { TOO_MANY_REQUESTS } from "../../edge/guard/refusals.server";
import type { PostedForm } from "../../edge/guard/request-body.server";
import { CONFIRMATION_FIELD, TURNSTILE_FIELD } from "../form/form-schema";
import { type Notice, noticeForRefusal } from "../notices";
import type { SignupReply } from "../steps";
import { isConfirmedTooOften, signalsOf } from "./signals.server";

/** How many signals a form needs to be asked about. */
const ENOUGH_SIGNALS = 2;

const ONE_MORE_STEP = "One more step";
const ASK = "Press the button at the end of the form to confirm you're not a bot.";
const PASSWORD_AGAIN = ["Enter your password again"];

interface Question {
  httpStatus: number;
  /** To be added to the form that comes back. */
  reply: SignupReply;
}

/**
 * Asks whether a person has sent a valid form, where two signals say otherwise. Undefined when it may go on: where
 * `BOT_CHECK` is false, a form with fewer signals, and one whose button was pressed, as far as the limits allow.
 */
export async function checkForBots(
  form: PostedForm,
  request: SubscriptionRequest,
  context: AppLoadContext,
): Promise<Question | undefined> {
  const { configuration, confirmations, log, nonces, turnstile } = context;
  if (!configuration.BOT_CHECK) return undefined;
  const posted = form.form_nonce ?? "";
  const issued = await nonces.read(posted);
  const suspect = async (signals: string[], httpStatus: number, notice: Notice): Promise<Question> => {
    log.warn("signup_suspected", { signals });
    const formNonce = issued ? posted : await nonces.issue();
    const token = await confirmations.issue(formNonce, request);
    return { httpStatus, reply: { notice, formNonce, confirmation: { token, siteKey: turnstile.siteKey } } };
  };

  if (issued && (await confirmations.isFor(form[CONFIRMATION_FIELD] ?? "", posted, request))) {
    const verdict = await turnstile.verify(form[TURNSTILE_FIELD], log);
    if (verdict === "failed") return suspect(["turnstile"], 422, question(context));
    if (verdict === "passed" || !(await isConfirmedTooOften(issued, context))) return undefined;
    return suspect(["confirmed_too_often"], TOO_MANY_REQUESTS.status, noticeForRefusal(TOO_MANY_REQUESTS));
  }
  const signals = await signalsOf(form, issued, context);
  return signals.length < ENOUGH_SIGNALS ? undefined : suspect(signals, 422, question(context));
}

/** A page that was posted by its script still has the passwords. */
function question({ route }: AppLoadContext): Notice {
  if (route?.isData) return { kind: "progress", title: ONE_MORE_STEP, message: ASK };
  return {
    kind: "progress",
    title: ONE_MORE_STEP,
    message: `We kept your details but not your password. Enter it again. ${ASK}`,
    fields: { password: PASSWORD_AGAIN, confirmPassword: PASSWORD_AGAIN },
  };
}
