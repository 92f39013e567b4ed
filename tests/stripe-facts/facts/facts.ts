import type { Fact, UnseenFact } from "../fact";
import { charges, chargesUnseen } from "./charges";
import { customers } from "./customers";
import { events, eventsUnseen } from "./events";
import { idempotency, idempotencyUnseen } from "./idempotency";
import { portal } from "./portal";
import { prices } from "./prices";
import { publicSetupIntents, setupIntents } from "./setup-intents";
import { trials, trialsUnseen } from "./trials";
import { webhooks } from "./webhooks";

/** Slow facts first, so that a run with several at once is short. */
export const FACTS: Fact[] = [
  ...[...charges, ...trials, ...customers, ...setupIntents],
  ...[...idempotency, ...prices, ...events, ...webhooks, ...portal],
];

/** Facts for which Stripe's publishable key is needed too. */
export const PUBLIC_FACTS: Fact[] = publicSetupIntents;

export const UNSEEN_FACTS: UnseenFact[] = [...idempotencyUnseen, ...trialsUnseen, ...chargesUnseen, ...eventsUnseen];
