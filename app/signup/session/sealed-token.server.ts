import { base64ToUint8Array, concatUint8Arrays, uint8ArrayToBase64 } from "uint8array-extras";
import * as z from "zod/mini";

/** Values that pass through a visitor's hands: unreadable there, unchangeable, and only for a time. */
export interface Seal {
  /** One string in base64url (RFC 4648, section 5): it fits into a cookie and an address as it is. */
  close(value: unknown, seconds: number): Promise<string>;
  /** What was sealed; undefined for a string that is changed, expired, or sealed for another purpose. */
  open(sealed: string): Promise<unknown>;
}

/** 96 bits, drawn for each seal (NIST SP 800-38D, section 8.2.2): good for the first 2^32 seals under one secret. */
const IV_BYTES = 12;

const contents = z.object({ value: z.unknown(), expires: z.number() });

/**
 * AES-256-GCM by the platform (NIST SP 800-38D), under a key that HKDF-SHA-256 (RFC 5869) derives for one purpose.
 * @param secret high in entropy, 32 characters or more
 */
export function sealFor(secret: string, purpose: string, now: () => number = Date.now): Seal {
  let known: CryptoKey | undefined;

  async function key(): Promise<CryptoKey> {
    known ??= await deriveKey(secret, purpose);
    return known;
  }

  return {
    async close(value, seconds) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const text = JSON.stringify({ value, expires: now() + seconds * 1000 });
      const encrypted = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await key(), encoder.encode(text));
      return uint8ArrayToBase64(concatUint8Arrays([iv, new Uint8Array(encrypted)]), { urlSafe: true });
    },
    async open(sealed) {
      try {
        const bytes = base64ToUint8Array(sealed);
        const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES) };
        const text = await crypto.subtle.decrypt(algorithm, await key(), bytes.subarray(IV_BYTES));
        const { value, expires } = contents.parse(JSON.parse(decoder.decode(text)));
        return now() < expires ? value : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function deriveKey(secret: string, purpose: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(purpose) };
  return crypto.subtle.deriveKey(derivation, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
