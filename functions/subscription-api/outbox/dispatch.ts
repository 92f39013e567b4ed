import { inParallel } from "../in-parallel";
import { describeError, log } from "../log";
import type { SignedLinks } from "../signed-links";
import type { AccountWebhook } from "./account-webhook";
import type { Mail } from "./mail";
import { cardUsedMail, trialEndingMail, trialStartedMail } from "./mail-content";
import type { Message, MessageKind, Outbox, SendOutcome } from "./outbox";

export type DispatchServices = {
  outbox: Outbox;
  mail: Mail;
  links: SignedLinks;
  accountWebhook: AccountWebhook | undefined;
};

/** Of each kind. Sent well within their lease, even when each takes as long as it may. */
const BATCH = 5;

/** From the sign-up on, so that a mail that is sent again has the same links. */
const LINKS_LIVE_MS = 30 * 24 * 60 * 60_000;

/**
 * Sends some of the due messages; failures are logged. Account webhooks wait until a console is configured.
 * @returns how many it took
 */
export async function dispatchMessages(services: DispatchServices): Promise<number> {
  const kinds: MessageKind[] = ["trial-started", "trial-ending", "card-used"];
  if (services.accountWebhook) kinds.push("account-created", "email-verified", "account-closed");
  const messages = await services.outbox.take(kinds, BATCH);
  await inParallel(messages, (message) => dispatch(message, services));
  return messages.length;
}

async function dispatch(message: Message, services: DispatchServices): Promise<void> {
  const fields = { kind: message.kind, signUpId: message.sign_up_id, attempt: message.attempts };
  try {
    if (!isStillTrue(message)) return await services.outbox.settle(message, "dropped");
    const outcome = await send(message, services);
    if (outcome.status === "sent") {
      await services.outbox.settle(message, "sent");
      log("info", "message_sent", fields);
      return;
    }
    const state = await services.outbox.postpone(message);
    if (state === "dead") log("error", "message_dead", { ...fields, reason: outcome.reason });
    else log("warn", "message_failed", { ...fields, reason: outcome.reason });
  } catch (error) {
    // Sent again when the lease ends.
    log("error", "message_unsettled", { ...fields, ...describeError(error) });
  }
}

function isStillTrue({ kind, status, end_reason }: Message): boolean {
  if (kind === "trial-started") return end_reason === null;
  if (kind === "trial-ending") return status === "trialing";
  return kind !== "card-used" || status === "pending" || status === "superseded";
}

async function send(message: Message, { mail, links, accountWebhook }: DispatchServices): Promise<SendOutcome> {
  const { key, kind, email } = message;
  switch (kind) {
    case "trial-started":
      return mail.send(key, email, trialStartedMail(message, mail.sender, await linksFor(message, links)));
    case "trial-ending":
      return mail.send(key, email, trialEndingMail(message, mail.sender));
    case "card-used":
      return mail.send(key, email, cardUsedMail(message, mail.sender));
    default:
      return accountWebhook?.send({ ...message, kind }) ?? { status: "failed", reason: "no console" };
  }
}

async function linksFor({ sign_up_id, signed_up_at }: Message, links: SignedLinks) {
  const expires = new Date(Date.parse(signed_up_at) + LINKS_LIVE_MS);
  return {
    verifyEmail: await links.urlOf("verify-email", sign_up_id, expires),
    notMe: await links.urlOf("not-me", sign_up_id, expires),
  };
}
