import type { AppLoadContext } from "@remix-run/cloudflare";
import * as z from "zod";
import type { Log } from "../../../app/pipeline/log.server";

const contexts = z.custom<AppLoadContext>();

/** A limiter of `limit` requests per key, and the keys that it was asked about. */
export function countingLimiter(limit = Number.POSITIVE_INFINITY) {
  const keys: string[] = [];
  return {
    keys,
    async limit({ key }: { key: string }) {
      keys.push(key);
      return { success: keys.filter((one) => one === key).length <= limit };
    },
  };
}

/** A log and its lines. */
export function recordedLog() {
  const added: object[] = [];
  const lines: [event: string, fields?: object][] = [];
  const line = (event: string, fields?: object) => {
    lines.push(fields === undefined ? [event] : [event, fields]);
  };
  const log: Log = {
    add: (fields) => added.push(fields),
    end: () => {},
    info: line,
    warn: line,
    error: line,
  };
  return { log, added, lines };
}

/** A request's context, reduced to the members that a stage reads. */
export function contextWith(fields: Partial<{ [Name in keyof AppLoadContext]: unknown }>): AppLoadContext {
  return contexts.parse({ requestId: "this-request", ip: "192.0.2.7", nonce: "a-nonce", ...fields });
}
