import type { Fact } from "../fact";
import type { SimulatorWorld } from "../simulator-world";
import { charges, simulatedCharges } from "./charges";
import { customers } from "./customers";
import { events, simulatedEvents } from "./events";
import { idempotency, simulatedIdempotency } from "./idempotency";
import { portal } from "./portal";
import { prices } from "./prices";
import { publicSetupIntents, setupIntents } from "./setup-intents";
import { simulatedTrials, trials } from "./trials";
import { webhooks } from "./webhooks";

/** Slow facts first, so that a run with several at once is short. */
export const FACTS: Fact[] = [
  ...[...charges, ...trials, ...customers, ...setupIntents],
  ...[...idempotency, ...prices, ...events, ...webhooks, ...portal],
];

/** Facts for which Stripe's publishable key is needed too. */
export const PUBLIC_FACTS: Fact[] = publicSetupIntents;

/** Facts that Stripe's test mode cannot show. */
export const SIMULATOR_FACTS: Fact<SimulatorWorld>[] = [
  ...[...simulatedIdempotency, ...simulatedTrials, ...simulatedCharges, ...simulatedEvents],
];
