/** The two keys of one seal, of 256 bits each. */
export interface SealingKeys {
  encryption: Uint8Array;
  integrity: Uint8Array;
}

/**
 * Derives the keys of one purpose from a secret with HKDF-SHA-256 (RFC 5869). From a password instead, Iron would
 * derive both anew for every seal.
 * @param secret high in entropy, 32 characters or more
 */
export async function sealingKeys(secret: string, purpose: string): Promise<SealingKeys> {
  const encoder = new TextEncoder();
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(purpose) };
  const bits = await crypto.subtle.deriveBits(algorithm, base, 512);
  return { encryption: new Uint8Array(bits, 0, 32), integrity: new Uint8Array(bits, 32, 32) };
}
