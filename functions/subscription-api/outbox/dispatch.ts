import { describeError, log } from "../log";
import type { AccountWebhook } from "./account-webhook";
import type { Mail } from "./mail";
import { trialEndingMail, trialStartedMail } from "./mail-content";
import type { Message, MessageKind, Outbox, SendOutcome } from "./outbox";

export type DispatchServices = { outbox: Outbox; mail: Mail; accountWebhook: AccountWebhook | undefined };

const BATCH = 20;

/** Sends due messages; failures are logged. Account webhooks wait until a console is configured. */
export async function dispatchMessages(services: DispatchServices): Promise<void> {
  const kinds: MessageKind[] = ["trial-started", "trial-ending"];
  if (services.accountWebhook) kinds.push("account-created");
  const messages = await services.outbox.take(kinds, BATCH);
  await Promise.all(messages.map((message) => dispatch(message, services)));
}

async function dispatch(message: Message, services: DispatchServices): Promise<void> {
  const fields = { kind: message.kind, signUpId: message.sign_up_id, attempt: message.attempts };
  try {
    if (message.kind === "trial-ending" && message.status !== "trialing") {
      return await services.outbox.settle(message, "dropped");
    }
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
