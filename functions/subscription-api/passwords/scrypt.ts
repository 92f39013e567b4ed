import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

// From OWASP's Password Storage Cheat Sheet. Cloudflare's PBKDF2 allows only 100,000 rounds, which is too few.
const LOG2_N = 14;
const R = 8;
const P = 5;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export type PasswordHasher = {
  hash(password: string): Promise<string>;
  verify(password: string, stored: string): Promise<boolean>;
};

/** PHC strings of passwords in NFC, equal on every keyboard: NIST SP 800-63B-4, section 3.1.1.2; RFC 8265, section 4.2. */
export const scryptPasswords: PasswordHasher = {
  async hash(password) {
    const salt = randomBytes(SALT_BYTES);
    const derived = await derive(password, salt, HASH_BYTES, { N: 2 ** LOG2_N, r: R, p: P });
    return `$scrypt$ln=${LOG2_N},r=${R},p=${P}$${base64(salt)}$${base64(derived)}`;
  },

  async verify(password, stored) {
    const parts = STORED.exec(stored);
    if (!parts) throw new Error("The stored password hash is not readable");
    const [, log2N, r, p, salt = "", derived = ""] = parts;
    const expected = Buffer.from(derived, "base64");
    const options = { N: 2 ** Number(log2N), r: Number(r), p: Number(p) };
    const actual = await derive(password, Buffer.from(salt, "base64"), expected.length, options);
    return timingSafeEqual(actual, expected);
  },
};

function derive(password: string, salt: Buffer, bytes: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFC"), salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
