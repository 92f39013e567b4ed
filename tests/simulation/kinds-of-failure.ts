import type { Random } from "./random";
import type { StripeFault } from "./stripe/stripe-model";

/* How a step can fail, and how long it takes. */

const LOST = ["fails", "fails after", "hangs", "hangs after", "dies", "dies after"] as const;
const HTTP = [...LOST, "500", "500 after", "429"] as const;
export const FATES = { database: LOST, stripe: [...HTTP, "400", "409"], mail: HTTP, console: HTTP } as const;
export type Receiver = keyof typeof FATES;
export type Fate = "ok" | (typeof FATES)[Receiver][number];

/** How a call fails at Stripe or another receiver. */
export const FAILURES: Partial<Record<Fate, StripeFault>> = { "400": "refused", "500": "before", "500 after": "after" };

/** A step's name without IDs, so that it is the same in every history. */
export const stepOf = (label: string) =>
  label
    .replace(/\/\w+_[0-9a-f]{8}\d+/g, "/:id")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 100);

/** Usually milliseconds, sometimes long enough for everything else to happen first. */
export const latency = (random: Random) => (random.chance(0.88) ? random.between(1, 40) : random.between(40, 3_500));
