import { company } from "../../../app/company";
import { DAY_MS } from "../../../app/contract/dates";
import { CONNECTIONS, inParallel } from "../connections";
import { log, logFailure } from "../log";
import { LINK_DAYS, type SignedLinks } from "../signed-links";
import { PaymentsError } from "../stripe/client";
import type { AccountWebhook } from "./account-webhook";
import type { Mail } from "./emails/email";
import { cardUsedEmail, notMeReportedEmail, secondSubscriptionEmail } from "./emails/other-emails";
import { trialEndingEmail, trialStartedEmail } from "./emails/trial-emails";
import { type TrialReader, trialOf } from "./emails/trial-facts";
import { type DropReason, type Message, type Outbox, type SendOutcome, sentKinds } from "./outbox";

export type DispatchServices = {
  outbox: Outbox;
  mail: Mail;
  links: SignedLinks;
  payments: TrialReader;
  accountWebhook: AccountWebhook | undefined;
};

/** Sends a batch of due messages, one per connection, and logs each outcome. Returns the batch's size. */
export async function dispatchMessages(services: DispatchServices): Promise<number> {
  const messages = await services.outbox.take(sentKinds(services.accountWebhook !== undefined), CONNECTIONS);
  await inParallel(messages, (message) => dispatch(message, services));
  return messages.length;
}

async function dispatch(message: Message, services: DispatchServices): Promise<void> {
  const fields = { kind: message.kind, signUpId: message.id, attempt: message.attempts + 1 };
  try {
    const outcome = await send(message, services);
    if (outcome.status === "dropped") {
      await services.outbox.settle(message, outcome.reason);
      log("info", "message_dropped", { ...fields, reason: outcome.reason });
      return;
    }
    if (outcome.status === "sent") {
      await services.outbox.settle(message, null);
      log("info", "message_sent", fields);
      return;
    }
    const state = await services.outbox.postpone(message);
    if (state === "dead") log("error", "message_dead", { ...fields, reason: outcome.reason });
    else log("warn", "message_failed", { ...fields, reason: outcome.reason });
  } catch (error) {
    // The message is due again when its lease ends.
    logFailure("message_unsettled", error, fields);
  }
}

type Outcome = SendOutcome | { status: "dropped"; reason: DropReason };

async function send(message: Message, services: DispatchServices): Promise<Outcome> {
  const { mail, accountWebhook, links } = services;
  const { key, kind, email } = message;
  switch (kind) {
    case "trial-started":
    case "trial-ending":
      return sendTrialMail({ ...message, kind }, services);
    case "card-used": {
      const isTrue = message.status === "pending" || message.status === "ended";
      if (!isTrue) return { status: "dropped", reason: "trial-began" };
      const { notMe } = linksFor(message, links);
      return mail.send(key, email, cardUsedEmail(message, mail.sender, notMe));
    }
    case "not-me-reported":
      return mail.send(key, company.supportEmail, notMeReportedEmail(message, mail.sender));
    case "second-subscription":
      return mail.send(key, company.supportEmail, secondSubscriptionEmail(message, mail.sender));
    default:
      return accountWebhook?.send({ ...message, kind }) ?? { status: "failed", reason: "no console" };
  }
}

type TrialMessage = Message & { kind: "trial-started" | "trial-ending" };

async function sendTrialMail(message: TrialMessage, services: DispatchServices): Promise<Outcome> {
  const { mail, links, outbox, payments } = services;
  return unlessStripeFails(async () => {
    const trial = await trialOf(message, payments);
    if (trial === "end-moved") {
      // The event that tells it may be lost.
      await outbox.checkSignUpOf(message);
      return { status: "failed", reason: trial };
    }
    if (typeof trial === "string") return { status: "dropped", reason: trial };
    const content =
      message.kind === "trial-ending"
        ? trialEndingEmail(message, trial, mail.sender)
        : trialStartedEmail(message, trial, mail.sender, linksFor(message, links));
    return mail.send(message.key, message.email, content);
  });
}

async function unlessStripeFails(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PaymentsError) return { status: "failed", reason: `stripe-${error.reason}` };
    throw error;
  }
}

function linksFor({ id, created_at }: Message, links: SignedLinks) {
  const expires = new Date(Date.parse(created_at) + LINK_DAYS * DAY_MS);
  return {
    verifyEmail: links.urlOf("verify-email", id, expires),
    notMe: links.urlOf("not-me", id, expires),
  };
}
