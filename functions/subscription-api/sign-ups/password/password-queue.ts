import { sleep } from "../../../../app/shared/sleep";
import type { PasswordHasher } from "./password";

/** Shorter than the site's timeout of ten seconds. */
export const SLOT_MS = 8_000;

export const LOCAL_SLOT_MS = 60_000;

const SHARE_OF_ONE_SENDER = 3 / 4;

const FIRST_TURN_MS = 200;

/** Polls: the runtime ends a request that awaits only another request's promise. */
const POLL_MS = 10;

/** A request ended by Cloudflare stops polling and loses its slot after this time. */
const GONE_AFTER_MS = 3_000;

const PAUSE_MS = 20;

export type PasswordSlot = {
  inTurn<T>(work: (hasher: PasswordHasher) => Promise<T>): Promise<T | undefined>;
  leave(): void;
};

export type PasswordQueue = {
  /** Undefined if too many requests wait, in total or from this sender, to get a slot in time. */
  enter(sender: string): PasswordSlot | undefined;
};

type Slot = { sender: string; since: number; waiting: boolean; polledAt: number };

/** One password at a time, since scrypt blocks the isolate. Round-robin across senders, last in first out within one. */
export function passwordQueue(hasher: PasswordHasher, slotMs = SLOT_MS): PasswordQueue {
  const slots = new Set<Slot>();
  const lastTurns = new Map<string, number>();
  let turns = 0;
  let turnEnds = 0;
  let turnMs = FIRST_TURN_MS;

  const lastTurnOf = ({ sender }: Slot) => lastTurns.get(sender) ?? 0;

  function takeTurn(slot: Slot): boolean {
    slot.polledAt = Date.now();
    if (slot.polledAt < turnEnds) return false;
    const waiting = [...slots].filter((other) => other.waiting && slot.polledAt - other.polledAt < GONE_AFTER_MS);
    const next = waiting.reduce((best, other) => (lastTurnOf(other) <= lastTurnOf(best) ? other : best), slot);
    if (next !== slot) return false;
    turns += 1;
    lastTurns.set(slot.sender, turns);
    turnEnds = slot.polledAt + GONE_AFTER_MS;
    return true;
  }

  async function inTurn<T>(slot: Slot, work: (hasher: PasswordHasher) => Promise<T>): Promise<T | undefined> {
    slot.waiting = true;
    while (!takeTurn(slot)) {
      await sleep(POLL_MS);
      if (slot.polledAt - slot.since >= slotMs) {
        slot.waiting = false;
        leave(slot);
        return undefined;
      }
    }
    slot.waiting = false;
    const begun = Date.now();
    try {
      return await work(hasher);
    } finally {
      // The clock stands still while hashing; the first timer updates it.
      await sleep(0);
      await sleep(PAUSE_MS);
      turnMs = (turnMs + Date.now() - begun) / 2;
      turnEnds = 0;
    }
  }

  function leave(slot: Slot): void {
    slots.delete(slot);
    if (![...slots].some(({ sender }) => sender === slot.sender)) lastTurns.delete(slot.sender);
  }

  return {
    enter(sender) {
      const now = Date.now();
      for (const slot of slots) if (now - slot.since >= slotMs) leave(slot);
      const most = Math.max(1, Math.floor(slotMs / turnMs));
      const own = [...slots].filter((slot) => slot.sender === sender).length;
      if (slots.size >= most || own >= Math.ceil(most * SHARE_OF_ONE_SENDER)) return undefined;
      const slot = { sender, since: now, waiting: false, polledAt: now };
      slots.add(slot);
      return {
        inTurn: (work) => inTurn(slot, work),
        leave: () => leave(slot),
      };
    },
  };
}
