import type { PasswordHasher } from "./scrypt";

/** scrypt blocks its isolate for about 150 ms, so at most `waiting` requests wait for each other, each for `waitsForMs`. */
export type PasswordLimits = { waiting: number; waitsForMs: number };

/** The wait is shorter than the site's timeout of ten seconds. */
export const PASSWORD_LIMITS: PasswordLimits = { waiting: 40, waitsForMs: 8_000 };
/** Allows bursts of sign-ups on a development machine. */
export const LOCAL_PASSWORD_LIMITS: PasswordLimits = { waiting: 1_000, waitsForMs: 60_000 };

/** Hashes and verifies like PasswordHasher. Returns undefined if the request has waited too long, because its visitor is gone. */
export type PasswordSlot = {
  hash(password: string): Promise<string | undefined>;
  verify(password: string, stored: string): Promise<boolean | undefined>;
  release(): void;
};

export type PasswordLimiter = {
  /** A slot for one request; undefined if all are taken. */
  acquire(): PasswordSlot | undefined;
};

export function passwordLimiter(hasher: PasswordHasher, { waiting, waitsForMs }: PasswordLimits): PasswordLimiter {
  const taken = new Set<{ since: number }>();
  const isOver = ({ since }: { since: number }) => Date.now() - since >= waitsForMs;
  return {
    acquire() {
      // Free expired slots, because a request that Cloudflare has ended never releases its slot.
      for (const slot of taken) if (isOver(slot)) taken.delete(slot);
      if (taken.size >= waiting) return undefined;
      const slot = { since: Date.now() };
      taken.add(slot);
      return {
        hash: async (password) => (isOver(slot) ? undefined : hasher.hash(password)),
        verify: async (password, stored) => (isOver(slot) ? undefined : hasher.verify(password, stored)),
        release: () => void taken.delete(slot),
      };
    },
  };
}
