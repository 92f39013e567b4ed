import * as z from "zod/mini";
import type { Log } from "../../../pipeline/log.server";
import { readBoundedText } from "../../../shared/http/bounded-body";
import { type FailedCall, failedBody, failedCall } from "../../../shared/http/failed-call";
import { parseJson } from "../../../shared/http/parse-json";

const VERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const TIMEOUT_MS = 3_000;
const MAX_RESPONSE_BYTES = 16 * 1024;
const MAX_TOKEN_LENGTH = 2048;

export interface Turnstile {
  /** Sends only the token, which passes once within five minutes. If Turnstile cannot check it: true, and logged. */
  passes(token: string | undefined, log: Log): Promise<boolean>;
}

/** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/#error-codes-reference */
const errorCode = z.string().check(z.regex(/^[\w-]{1,50}$/));
const answer = z.object({ success: z.boolean(), "error-codes": z.catch(z.array(errorCode), []) });

/** Errors about the token, not about the keys or Turnstile. */
const TOKEN_ERRORS = ["invalid-input-response", "timeout-or-duplicate"];

/** Source: https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
export function turnstile(secret: string): Turnstile {
  async function verify(token: string, failed: (call: FailedCall, codes?: string[]) => true): Promise<boolean> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const reply = await fetch(VERIFY_URL, {
      method: "POST",
      body: new URLSearchParams({ secret, response: token }),
      redirect: "manual",
      signal,
    });
    const body = await readBoundedText(reply, { bytes: MAX_RESPONSE_BYTES });
    if (body.status !== "read") return failed(failedBody(body.status, signal));
    const { data } = answer.safeParse(parseJson(body.text));
    if (data?.success) return true;
    const codes = data?.["error-codes"];
    if (codes?.some((code) => TOKEN_ERRORS.includes(code))) return false;
    return failed(reply.ok ? { cause: "answer" } : { cause: "status", status: reply.status }, codes);
  }

  return {
    async passes(token, log) {
      if (!token || token.length > MAX_TOKEN_LENGTH) return false;
      const failed = (call: FailedCall, codes?: string[]) => {
        log.error("turnstile_failed", { ...call, codes });
        return true as const;
      };
      return verify(token, failed).catch((error) => failed(failedCall(error)));
    },
  };
}
