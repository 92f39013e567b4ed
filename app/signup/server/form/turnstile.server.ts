import * as z from "zod/mini";
import type { Log } from "../../../pipeline/log.server";
import { readBoundedText } from "../../../shared/http/bounded-body";

const VERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const TIMEOUT_MS = 3_000;
const MAX_RESPONSE_BYTES = 16 * 1024;
/** Turnstile's own limit. */
const MAX_TOKEN_LENGTH = 2048;

export interface Turnstile {
  /**
   * Sends nothing of the visitor but the token, which passes once and within five minutes. Also returns true if Turnstile cannot check
   * it.
   */
  passes(token: string | undefined, log: Log): Promise<boolean>;
}

const answer = z.object({ success: z.boolean(), "error-codes": z.catch(z.array(z.string()), []) });

/** Errors about the token, not about the keys or Turnstile. */
const TOKEN_ERRORS = ["invalid-input-response", "timeout-or-duplicate"];

/** Source: https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
export function turnstile(secret: string): Turnstile {
  async function verify(response: string): Promise<boolean> {
    const reply = await fetch(VERIFY_URL, {
      method: "POST",
      body: new URLSearchParams({ secret, response }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await readBoundedText(reply, { bytes: MAX_RESPONSE_BYTES });
    if (body.status !== "read") throw new Error("Turnstile's answer could not be read");
    const { success, "error-codes": errors } = answer.parse(JSON.parse(body.text));
    if (success) return true;
    if (errors.some((code) => TOKEN_ERRORS.includes(code))) return false;
    throw new Error("Turnstile could not verify a token");
  }

  return {
    async passes(token, log) {
      if (!token || token.length > MAX_TOKEN_LENGTH) return false;
      try {
        return await verify(token);
      } catch (error) {
        log.failure("turnstile_failed", error);
        return true;
      }
    },
  };
}
