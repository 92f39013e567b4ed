import * as z from "zod/mini";
import type { Log } from "../../../pipeline/log.server";
import { readBoundedText } from "../../../shared/bounded-body";
import { describeError } from "../../../shared/describe-error";

const VERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const TIMEOUT_MS = 3_000;
const MAX_RESPONSE_BYTES = 16 * 1024;
/** Turnstile's limit. */
const MAX_TOKEN_LENGTH = 2048;

/** `unknown`: no token, or no answer from Turnstile; then the button is enough. */
export type Verdict = "passed" | "failed" | "unknown";

export interface Turnstile {
  /** Undefined without keys. */
  siteKey: string | undefined;
  /** Sends only the token. Each token passes once, within five minutes. */
  verify(token: string | undefined, log: Log): Promise<Verdict>;
}

const answer = z.object({ success: z.boolean(), "error-codes": z.catch(z.array(z.string()), []) });

/** Errors of the token, not of the keys or Turnstile. */
const TOKEN_ERRORS = ["invalid-input-response", "timeout-or-duplicate"];

/** Source: https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
export function turnstile(options: {
  siteKey: string | undefined;
  secretKey: string | undefined;
  deadlineFactor?: number;
}): Turnstile {
  const { siteKey, secretKey, deadlineFactor = 1 } = options;

  async function ask(secret: string, response: string): Promise<Verdict> {
    const reply = await fetch(VERIFY_URL, {
      method: "POST",
      body: new URLSearchParams({ secret, response }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS * deadlineFactor),
    });
    const body = await readBoundedText(reply, { bytes: MAX_RESPONSE_BYTES });
    if (body.status !== "read") throw new Error("Turnstile's answer could not be read");
    const { success, "error-codes": errors } = answer.parse(JSON.parse(body.text));
    if (success) return "passed";
    if (errors.some((code) => TOKEN_ERRORS.includes(code))) return "failed";
    throw new Error("Turnstile could not verify a token");
  }

  return {
    siteKey,
    async verify(token, log) {
      if (!secretKey || !token) return "unknown";
      if (token.length > MAX_TOKEN_LENGTH) return "failed";
      try {
        return await ask(secretKey, token);
      } catch (error) {
        log.error("turnstile_failed", describeError(error));
        return "unknown";
      }
    },
  };
}
