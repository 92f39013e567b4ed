import { sleep } from "../../../../app/shared/sleep";
import type { PasswordHasher } from "./password";

/** Ends before the ten seconds that the site waits. */
const PLACE_MS = 8_000;

export const LOCAL_PLACE_MS = 60_000;

const SHARE_OF_ONE_SENDER = 3 / 4;

const FIRST_TURN_MS = 200;

/** The runtime ends a request that waits for another one's promise alone, so each asks for its turn. */
const ASK_EVERY_MS = 10;

/** A request that Cloudflare has ended asks no more, and gives nothing back. */
const GONE_AFTER_MS = 3_000;

/** Leaves the isolate to everything else for a moment after each turn. */
const PAUSE_MS = 20;

export type PasswordPlace = {
  /** Undefined when the place ended before its turn. */
  inTurn<T>(work: (hasher: PasswordHasher) => Promise<T>): Promise<T | undefined>;
  leave(): void;
};

export type PasswordQueue = {
  /** Undefined when more wait, of all or of this sender, than can have their turn in time. */
  enter(sender: string): PasswordPlace | undefined;
};

type Place = { sender: string; since: number; waiting: boolean; askedAt: number };

/** One password at a time, since scrypt stops the isolate. Senders take turns, each sender's latest request first. */
export function passwordQueue(hasher: PasswordHasher, placeMs: number = PLACE_MS): PasswordQueue {
  const places = new Set<Place>();
  const lastTurns = new Map<string, number>();
  let turns = 0;
  let turnEnds = 0;
  let turnMs = FIRST_TURN_MS;

  const lastTurnOf = ({ sender }: Place) => lastTurns.get(sender) ?? 0;

  function takeTurn(place: Place): boolean {
    place.askedAt = Date.now();
    if (place.askedAt < turnEnds) return false;
    const waiting = [...places].filter((other) => other.waiting && place.askedAt - other.askedAt < GONE_AFTER_MS);
    const next = waiting.reduce((best, other) => (lastTurnOf(other) <= lastTurnOf(best) ? other : best), place);
    if (next !== place) return false;
    turns += 1;
    lastTurns.set(place.sender, turns);
    turnEnds = place.askedAt + GONE_AFTER_MS;
    return true;
  }

  async function inTurn<T>(place: Place, work: (hasher: PasswordHasher) => Promise<T>): Promise<T | undefined> {
    place.waiting = true;
    while (!takeTurn(place)) {
      await sleep(ASK_EVERY_MS);
      if (place.askedAt - place.since >= placeMs) {
        place.waiting = false;
        leave(place);
        return undefined;
      }
    }
    place.waiting = false;
    const begun = Date.now();
    try {
      return await work(hasher);
    } finally {
      // The clock stood still during the hash: the first timer brings it up to date.
      await sleep(0);
      await sleep(PAUSE_MS);
      turnMs = (turnMs + Date.now() - begun) / 2;
      turnEnds = 0;
    }
  }

  function leave(place: Place): void {
    places.delete(place);
    if (![...places].some(({ sender }) => sender === place.sender)) lastTurns.delete(place.sender);
  }

  return {
    enter(sender) {
      const now = Date.now();
      for (const place of places) if (now - place.since >= placeMs) leave(place);
      const most = Math.max(1, Math.floor(placeMs / turnMs));
      const own = [...places].filter((place) => place.sender === sender).length;
      if (places.size >= most || own >= Math.ceil(most * SHARE_OF_ONE_SENDER)) return undefined;
      const place = { sender, since: now, waiting: false, askedAt: now };
      places.add(place);
      return {
        inTurn: (work) => inTurn(place, work),
        leave: () => leave(place),
      };
    },
  };
}
