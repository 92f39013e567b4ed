import type { PasswordHasher } from "./scrypt";

/** Of an isolate, in which scrypt blocks everything for about 150 ms. */
export type PasswordLimits = { waiting: number; ofOneSender: number; placeEndsAfterMs: number };

/** Shorter than the site's timeout of ten seconds. */
export const PASSWORD_LIMITS: PasswordLimits = { waiting: 40, ofOneSender: 30, placeEndsAfterMs: 8_000 };
/** For bursts of sign-ups on a development machine, all of one sender. */
export const LOCAL_PASSWORD_LIMITS: PasswordLimits = { waiting: 1_000, ofOneSender: 1_000, placeEndsAfterMs: 60_000 };

/** Hashes and verifies like PasswordHasher; undefined once the place has ended, since its visitor has gone by then. */
export type PasswordPlace = {
  hash(password: string): Promise<string | undefined>;
  verify(password: string, stored: string): Promise<boolean | undefined>;
  leave(): void;
};

export type PasswordQueue = {
  /** Undefined if too many wait, in total or of this sender. */
  enter(sender: string): PasswordPlace | undefined;
};

export function passwordQueue(hasher: PasswordHasher, limits: PasswordLimits): PasswordQueue {
  const places = new Set<{ sender: string; since: number }>();
  const hasEnded = ({ since }: { since: number }) => Date.now() - since >= limits.placeEndsAfterMs;
  return {
    enter(sender) {
      // A request that Cloudflare has ended never leaves.
      for (const place of places) if (hasEnded(place)) places.delete(place);
      const own = [...places].filter((place) => place.sender === sender).length;
      if (places.size >= limits.waiting || own >= limits.ofOneSender) return undefined;
      const place = { sender, since: Date.now() };
      places.add(place);
      return {
        hash: async (password) => (hasEnded(place) ? undefined : hasher.hash(password)),
        verify: async (password, stored) => (hasEnded(place) ? undefined : hasher.verify(password, stored)),
        leave: () => void places.delete(place),
      };
    },
  };
}
