import { createHash } from "node:crypto";
import type { PasswordHasher } from "../../functions/subscription-api/passwords/scrypt";

const digest = (password: string) => createHash("sha256").update(password).digest("base64");

/** Fast hashes; scrypt takes 150 ms. */
export const cheapPasswords: PasswordHasher = {
  hash: async (password) => digest(password),
  verify: async (password, stored) => digest(password) === stored,
};
