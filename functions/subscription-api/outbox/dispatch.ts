import { describeError, log } from "../log";
import type { AccountWebhook } from "./account-webhook";
import type { Mail } from "./mail";
import { trialEndingMail, trialStartedMail } from "./mail-content";
import type { Message, MessageKind, Outbox } from "./outbox";

export type DispatchServices = { outbox: Outbox; mail: Mail; accountWebhook: AccountWebhook | undefined };

/** What became of one attempt to send; a reason is a status or the name of an error, never a receiver's words. */
export type SendOutcome = { status: "sent" } | { status: "failed"; reason: string };

const BATCH = 20;

/**
 * Sends what is due, and again what failed before when its time has come. AccountWebhook wait until there is a console
 * to hear them. One message's failure is logged and touches no other.
 * @throws what D1 throws when the messages cannot be taken
 */
export async function dispatchMessages(services: DispatchServices): Promise<void> {
  const kinds: MessageKind[] = ["trial-started", "trial-ending"];
  if (services.accountWebhook) kinds.push("account-created");
  const messages = await services.outbox.take(kinds, BATCH);
  await Promise.all(messages.map((message) => dispatch(message, services)));
}

async function dispatch(message: Message, services: DispatchServices): Promise<void> {
  const facts = { kind: message.kind, signUpId: message.sign_up_id, attempt: message.attempts };
  try {
    if (message.kind === "trial-ending" && message.status !== "trialing") {
      return await services.outbox.settle(message, "dropped");
    }
    const outcome = await send(message, services);
    if (outcome.status === "sent") {
      await services.outbox.settle(message, "sent");
      log("info", "message_sent", facts);
      return;
    }
    const state = await services.outbox.postpone(message);
    if (state === "dead") log("error", "message_dead", { ...facts, reason: outcome.reason });
    else log("warn", "message_failed", { ...facts, reason: outcome.reason });
  } catch (error) {
    // The message stays leased, and is sent again when the lease is over.
    log("error", "message_unsettled", { ...facts, ...describeError(error) });
  }
}

async function send(message: Message, { mail, accountWebhook }: DispatchServices): Promise<SendOutcome> {
  switch (message.kind) {
    case "trial-started":
      return mail.send(message.key, message.email, trialStartedMail(message, mail.sender));
    case "trial-ending":
      return mail.send(message.key, message.email, trialEndingMail(message, mail.sender));
    case "account-created":
      return accountWebhook?.send(message) ?? { status: "failed", reason: "no console" };
  }
}
