import type { AppLoadContext } from "@remix-run/cloudflare";
import { isOverLimit } from "../../../shared/http/rate-limit";
import { networkKeyOf, rateLimitKeyOf } from "../../../shared/http/rate-limit-key";
import { TURNSTILE_FIELD } from "../../form-schema";
import type { SignupReply } from "../../steps";
import { ONE_MORE_STEP } from "../notices.server";
import type { PostedFields } from "./posted-form.server";

/** Undefined if the form can go on to the API; `refused` over the limit if the site has no keys of Turnstile. */
export async function networkChallenge(
  fields: PostedFields,
  { configuration, ip, log, turnstile }: AppLoadContext,
): Promise<Pick<SignupReply, "notice" | "challenge"> | "refused" | undefined> {
  const networkKey = networkKeyOf(rateLimitKeyOf(ip));
  if (!(await isOverLimit(configuration.SIGNUP_NETWORK_RATE_LIMIT, networkKey, log))) return undefined;
  if (!turnstile) return "refused";
  if (await turnstile.passes(fields[TURNSTILE_FIELD], log)) return undefined;
  log.warn("signup_challenged");
  return { notice: ONE_MORE_STEP, challenge: configuration.TURNSTILE_SITE_KEY ?? "" };
}
