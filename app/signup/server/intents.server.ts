import type { AppLoadContext } from "@remix-run/cloudflare";
import type { PostedForm } from "../../pipeline/guard/request-body.server";
import { CONNECTION_FAILED, SIGNUP_CANCELED, SIGNUP_FINISHED } from "../notices";
import type { CardSession } from "../steps";
import { afterSetup } from "./card/after-setup.server";
import { inProgress, linkedSignUp } from "./session/resume-link.server";
import { aboutSignUp, backAtForm, besideNew, type FoundSession, renewed, switched } from "./session/session.server";
import { type FormOutcome, reply, seeOther } from "./submit/form-outcome.server";

export interface IntentSubmission {
  request: Request;
  found: FoundSession;
  path: string;
  form: PostedForm;
}

type IntentHandler = (submission: IntentSubmission, context: AppLoadContext) => Promise<FormOutcome>;

/** Handlers of the sign-up's buttons, by their `intent`. */
export const INTENTS: ReadonlyMap<string, IntentHandler> = new Map<string, IntentHandler>([
  ["start-over", startOver],
  ["switch", switchSignUp],
  ["edit", edit],
  ["extend", extend],
  ["resume", resume],
  ["card-set-up", finish],
]);

/** Empties the form. The form's page still offers another sign-up of this browser. */
async function startOver({ found, path }: IntentSubmission, { sessions }: AppLoadContext) {
  const other = "session" in found ? switched(found.session) : undefined;
  if (!other) return seeOther(path, sessions.clear());
  return seeOther(path, await sessions.write({ ...other, other: undefined, editing: true, aside: true }));
}

/** Continues the sign-up offered on the page. */
async function switchSignUp({ found, path, form }: IntentSubmission, { sessions }: AppLoadContext) {
  const session = inProgress(found);
  if (!session || session.key !== form.sign_up) return seeOther(path);
  const { packageId } = session.account ?? {};
  const cookie = await sessions.write(renewed({ ...session, editing: undefined, aside: undefined }));
  return seeOther(packageId ? `/subscription/${packageId}` : path, cookie);
}

async function edit({ found, path }: IntentSubmission, { sessions }: AppLoadContext) {
  const session = cardSessionIn(found);
  if (!session) return seeOther(path);
  return seeOther(path, await sessions.write(renewed(backAtForm(session))));
}

async function extend({ found, path }: IntentSubmission, { sessions }: AppLoadContext) {
  const session = inProgress(found);
  return seeOther(path, session && (await sessions.write(renewed({ ...session, kept: true }))));
}

/** Asks Stripe about the session's card (even if just expired) or the one named by the page's token. */
async function finish({ found, path, form }: IntentSubmission, context: AppLoadContext) {
  const { sessions, setupIntents } = context;
  const newest = cardSessionIn(found);
  const ofPage = form.return_token === undefined ? newest : await sessions.fromReturnToken(form.return_token);
  if (!ofPage) return seeOther(path);
  const here = aboutSignUp(found, ofPage.key);
  const session = cardSessionIn(here);
  const isThis = session?.clientSecret === ofPage.clientSecret;
  const next = await afterSetup(
    isThis ? session : ofPage,
    await setupIntents.retrieve(ofPage.clientSecret, context),
    context,
  );
  const hasOutcome = next.step === "done" || next.checks !== undefined;
  // For a sign-up other than the session's, only a success is shown, which stays true.
  const continues = isThis ? here.status === "open" || hasOutcome : next.step === "done";
  const other = isThis ? next.other : besideNew(found, ofPage.key);
  return seeOther(path, continues ? await sessions.write(renewed({ ...next, other })) : undefined);
}

/** Continues a resume link's sign-up if it still needs a card and no other is in progress here. */
async function resume({ found, path }: IntentSubmission, context: AppLoadContext) {
  const { url, sessions, setupIntents } = context;
  const linked = (await linkedSignUp(context))?.signUp;
  const here = inProgress(found);
  const isOther = here && here.clientSecret !== linked?.clientSecret;
  // The page explains it.
  if (!linked || isOther) return seeOther(path + url.search);
  const taken: CardSession = { ...linked, resumed: true, other: besideNew(found, linked.key) };
  const state = await setupIntents.retrieve(linked.clientSecret, context);
  if (state.status === "unreachable") return reply(503, { notice: CONNECTION_FAILED });
  if (state.status === "open") return seeOther(path, await sessions.write(renewed(taken)));
  const next = await afterSetup(taken, state, context);
  if (next.step === "done" || next.checks !== undefined) return reply(409, { notice: SIGNUP_FINISHED });
  if (next.ended) return reply(409, { notice: SIGNUP_CANCELED });
  // The card has had a trial; the card step asks for another.
  return seeOther(path, await sessions.write(renewed(next)));
}

/** Includes an expired session. */
export function cardSessionIn(found: FoundSession): CardSession | undefined {
  return "session" in found && found.session.step === "card" ? found.session : undefined;
}
