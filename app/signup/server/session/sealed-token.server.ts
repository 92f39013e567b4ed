import { CompactEncrypt, compactDecrypt } from "jose";

const ALGORITHMS = { alg: "dir", enc: "A256GCM" } as const;
/** Initialization vector, ciphertext and tag. Strict, because decoders skip whitespace and would accept variants of a token. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const encoder = new TextEncoder();

interface SealedTokens {
  seal(text: string): Promise<string>;
  /** Undefined for a token that was changed, or sealed with another secret or for another purpose. */
  open(token: string): Promise<string | undefined>;
}

/** JWEs (RFC 7516) without their constant header. The first secret seals, all open. The text has to have an expiry. */
export function sealedTokens(secrets: readonly string[], purpose: string): SealedTokens {
  let derived: Promise<CryptoKey[]> | undefined;
  const keys = () => {
    derived ??= Promise.all(secrets.map((secret) => deriveKey(secret, purpose)));
    return derived;
  };
  const header = `${btoa(JSON.stringify(ALGORITHMS)).replace(/=+$/, "")}..`;

  return {
    async seal(text) {
      const [current] = await keys();
      if (!current) throw new Error("There is no secret to seal with");
      const token = await new CompactEncrypt(encoder.encode(text)).setProtectedHeader(ALGORITHMS).encrypt(current);
      return token.slice(header.length);
    },
    async open(token) {
      if (!TOKEN.test(token)) return undefined;
      for (const key of await keys()) {
        try {
          const { plaintext } = await compactDecrypt(header + token, key, {
            keyManagementAlgorithms: [ALGORITHMS.alg],
            contentEncryptionAlgorithms: [ALGORITHMS.enc],
          });
          return new TextDecoder().decode(plaintext);
        } catch {
          // Tries the next secret.
        }
      }
      return undefined;
    },
  };
}

/** HKDF-SHA-256 (RFC 5869). */
async function deriveKey(secret: string, purpose: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(`signup:${purpose}`) };
  return crypto.subtle.deriveKey(hkdf, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
