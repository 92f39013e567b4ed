import { base64url, EncryptJWT, jwtDecrypt } from "jose";

/** Encrypted JWTs (RFC 7516), which visitors can neither read nor change. */
export interface SealedTokens {
  /** `endsAt` is in milliseconds since 1970; the token expires at the full second before it. */
  seal(value: unknown, endsAt: number): Promise<string>;
  /** Undefined for a token that was changed, is expired, older than `maxAgeMs`, or for another audience. */
  open(token: string, maxAgeMs?: number): Promise<unknown>;
}

const ENCRYPTION = { alg: "dir", enc: "A256GCM" } as const;

/**
 * The first secret seals, and all secrets open. `audience` is the purpose (RFC 7519, section 4.1.3).
 *
 * @example
 * const links = sealedTokens([newSecret, oldSecret], "resume-link");
 * const token = await links.seal({ key }, Date.now() + 30 * 60 * 1000);
 * const value = await links.open(token); // undefined half an hour later
 */
export function sealedTokens(secrets: readonly string[], audience: string, now: () => number = Date.now): SealedTokens {
  let derived: Promise<{ id: string; key: CryptoKey }[]> | undefined;
  const keys = () => {
    derived ??= Promise.all(secrets.map(deriveKey));
    return derived;
  };

  return {
    async seal(value, endsAt) {
      const [current] = await keys();
      if (!current) throw new Error("There is no secret to seal with");
      return new EncryptJWT({ value })
        .setProtectedHeader({ ...ENCRYPTION, kid: current.id })
        .setAudience(audience)
        .setIssuedAt(new Date(now()))
        .setExpirationTime(new Date(endsAt))
        .encrypt(current.key);
    },
    async open(token, maxAgeMs) {
      try {
        const { payload } = await jwtDecrypt(token, async ({ kid }) => keyOf(await keys(), kid), {
          audience,
          currentDate: new Date(now()),
          ...(maxAgeMs !== undefined && { maxTokenAge: maxAgeMs / 1000 }),
          keyManagementAlgorithms: [ENCRYPTION.alg],
          contentEncryptionAlgorithms: [ENCRYPTION.enc],
        });
        return payload.value;
      } catch {
        return undefined;
      }
    },
  };
}

function keyOf(keys: { id: string; key: CryptoKey }[], kid: string | undefined): CryptoKey {
  const found = keys.find(({ id }) => id === kid);
  if (!found) throw new Error("The token's key is not known");
  return found.key;
}

/** HKDF-SHA-256 (RFC 5869); the id reveals nothing about the key. */
async function deriveKey(secret: string): Promise<{ id: string; key: CryptoKey }> {
  const encoder = new TextEncoder();
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey", "deriveBits"]);
  const hkdf = (info: string) => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: encoder.encode(info),
  });
  const id = await crypto.subtle.deriveBits(hkdf("signup-session:key-id"), base, 48);
  const key = await crypto.subtle.deriveKey(hkdf("signup-session"), base, { name: "AES-GCM", length: 256 }, false, [
    "encrypt",
    "decrypt",
  ]);
  return { id: base64url.encode(new Uint8Array(id)), key };
}
