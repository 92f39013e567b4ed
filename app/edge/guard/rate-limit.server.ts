import { describeError, type Log } from "../log.server";

/** Cloudflare's rate limiting binding; limit and period stand in wrangler.toml. */
export interface RateLimit {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/**
 * The longest period that the binding knows; how long the current one still lasts it does not tell.
 * Source: https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/
 */
export const RETRY_AFTER_SECONDS = "60";

/**
 * Counts a request for its sender's address, and says whether that was one too many. A limiter that fails limits nobody:
 * the error is logged.
 */
export async function isOverLimit(limiter: RateLimit, request: Request, log: Log): Promise<boolean> {
  try {
    // Only this header: the edge sets it, whereas anyone can send an X-Forwarded-For.
    const { success } = await limiter.limit({ key: senderOf(request.headers.get("CF-Connecting-IP")) });
    return !success;
  } catch (error) {
    log.error("rate_limiter_failed", describeError(error));
    return false;
  }
}

/**
 * What one sender is counted as: an IPv4 address (also one that is written as an IPv6 one), or the /64 of an IPv6
 * address, since a single customer has all of it. Requests without an address, which Cloudflare's edge does not let
 * through, are counted together.
 */
export function senderOf(address: string | null): string {
  if (address === null) return "unknown";
  if (!URL.canParse(`http://[${address}]`)) return address.slice(0, 45);
  // The URL parser writes an IPv6 address in its one canonical form.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical) ?? [];
  if (high && low) return [...bytesOf(high), ...bytesOf(low)].join(".");
  const [before = [], after = []] = canonical.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}

function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
}
