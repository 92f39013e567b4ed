import { DAY, HOUR, MINUTE } from "../support/api-in-process/scheduler";
import { type Random, randomOf } from "./random";
import type { StripeFault } from "./stripe/stripe-model";

/* How and when a step can fail, and how long it takes. */

const LOST = ["fails", "fails after", "hangs", "hangs after", "dies", "dies after"] as const;
const HTTP = [...LOST, "500", "500 after", "429"] as const;
/** 502: from the edge of Stripe, which passed nothing on, or something that is executed later. */
const STRIPE = [...HTTP, "400", "409", "502", "502 later"] as const;
export const FATES = { database: LOST, stripe: STRIPE, mail: HTTP, console: HTTP } as const;
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

/** Midnights (UTC) at which a month, February 29 or a year begins or ends. */
const MIDNIGHTS = ["2026-02-01", "2026-05-01", "2026-03-01", "2028-02-29", "2028-03-01", "2027-01-01"] as const;
/** The probability that a step fails. */
const FAULT_RATES = [0, 0.01, 0.05, 0.1, 0.15];
/** A history ends after the reminder, or after the trial's end. */
const DAYS = [4.5, 10] as const;
/** A reminder is due 72 hours after the trial's start, and the trial ends after 120. */
const LATER_FAULTS = [71, 119];

/** Milliseconds since 1970. */
export type Period = { from: number; to: number };
const NEVER: Period = { from: 0, to: 0 };

export type Conditions = Period & {
  onePerPerson: boolean;
  /** The probability that a step fails within `windows`. */
  faulty: number;
  /** When something may fail. */
  windows: Period[];
  /** One receiver answers nobody. */
  outage: Period & { of?: Receiver };
  /** The API's clock is an hour ahead. */
  clockJump: Period;
  /** True if nothing fails and nothing has an outage. */
  isSound: boolean;
};

/** When a history begins and ends, and what may fail in it. Ten seeds in a row have every pair of length, `faulty`, outage and `onePerPerson`. */
export function conditionsOf(seed: number): Conditions {
  const random = randomOf(seed, "world");
  const start = Date.parse(random.oneOf(MIDNIGHTS)) + random.between(-30, 30) * MINUTE;
  const level = Math.abs(seed) % FAULT_RATES.length;
  const isLong = seed % 2 !== 0;
  const faulty = FAULT_RATES[level] ?? 0;
  const hasOutage = isLong !== [0, 2].includes(level);

  const window = (from: number, hours: number) => ({ from: start + from * HOUR, to: start + (from + hours) * HOUR });
  const laterFaults = isLong ? LATER_FAULTS : LATER_FAULTS.slice(0, 1);
  const firstHours = () => random.oneOf([1, 1, 26, 54]);
  const usual =
    faulty > 0 ? [window(0, firstHours()), ...laterFaults.map((from) => window(from, random.oneOf([4, 28])))] : [];
  const of = random.oneOf<Receiver>(["stripe", "mail", "console", "database"]);
  const from = random.oneOf([random.between(0, 24), random.between(0, 24), ...laterFaults]);
  const outage = hasOutage ? { of, ...window(from, random.between(0, 12)) } : NEVER;
  const jumps = faulty > 0 && random.chance(0.3);
  const clockJump = jumps ? window(random.between(0, 30), random.between(0, 1)) : NEVER;
  return {
    from: start,
    to: start + DAYS[isLong ? 1 : 0] * DAY,
    onePerPerson: isLong !== [2, 3].includes(level),
    faulty,
    outage,
    clockJump,
    windows: [...usual, outage, clockJump],
    isSound: faulty === 0 && !hasOutage,
  };
}
