import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/*
 * Scrypt with OWASP's parameters for 16 MiB: N=2^14, r=8, p=5 (Password Storage Cheat Sheet). Cloudflare's PBKDF2
 * refuses more than 100,000 rounds in production, which is too few.
 */
const LOG2_N = 14;
const R = 8;
const P = 5;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Hashes a password, byte for byte as given, under a fresh salt.
 * @returns a PHC string: `$scrypt$ln=14,r=8,p=5$salt$hash`, both in Base64 without padding
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, { N: 2 ** LOG2_N, r: R, p: P });
  return `$scrypt$ln=${LOG2_N},r=${R},p=${P}$${base64(salt)}$${base64(hash)}`;
}

/**
 * Whether a password is the one that was hashed; the parameters are those of the stored string.
 * @throws when `stored` is not a string of {@link hashPassword}
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, logN, r, p, salt, hash] = STORED.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) throw new Error("The stored password hash is not readable");
  const expected = Buffer.from(hash, "base64");
  const options = { N: 2 ** Number(logN), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, "base64"), expected.length, options);
  return timingSafeEqual(actual, expected);
}

function derive(password: string, salt: Buffer, bytes: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
