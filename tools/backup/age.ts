import { createReadStream } from "node:fs";
import { Decrypter, Encrypter } from "age-encryption";
import { ToolError } from "../failures";

// age's format (https://age-encryption.org/v1), by its author's library: an operator needs no program for it, and age reads it too.

/** Throws ToolError unless `recipient` is a public key. */
export function encrypterFor(recipient: string): Encrypter {
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch {
    // Does not repeat the value, which may be the secret key.
    throw new ToolError(
      "✗ --recipient is not a public key, age1…: npm run backup:key makes a pair of keys. Replace a secret key that was typed here: npm has logged it.",
    );
  }
  return encrypter;
}

/** Throws ToolError unless `key` is a secret key. */
export function decrypterWith(key: string | undefined): Decrypter {
  if (!key)
    throw new ToolError("Set the variable BACKUP_KEY to the secret key: read -rs BACKUP_KEY && export BACKUP_KEY");
  const decrypter = new Decrypter();
  try {
    decrypter.addIdentity(key.trim());
  } catch {
    throw new ToolError("✗ BACKUP_KEY is not a secret key, AGE-SECRET-KEY-1….");
  }
  return decrypter;
}

/** A file's bytes, after a first line. Reading them throws Node's error if there is no such file. */
export function bytesOf(file: string, firstLine = ""): ReadableStream<Uint8Array> {
  const chunks = createReadStream(file)[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(firstLine)),
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
  });
}
