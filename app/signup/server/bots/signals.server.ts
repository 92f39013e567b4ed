import type { AppLoadContext } from "@remix-run/cloudflare";
import type { PostedForm } from "../../../pipeline/guard/request-body.server";
import { isFarOverLimit, isOverLimit, type RateLimit } from "../../../shared/rate-limit";
import { networkKeyOf, rateLimitKeyOf } from "../../../shared/rate-limit-key";
import { HONEYPOT_FIELD } from "../../form/form-schema";
import type { IssuedForm } from "../submit/form-nonce.server";

/** No person types so fast; password managers and browsers fill in as fast. */
const FAST_MS = 2_000;

/** By what forms are counted, beside their sender: the same nonce, and the network. */
interface Counter {
  signal: "repeated" | "network";
  limiter: RateLimit;
  key: string;
}

/**
 * What this form has in common with those that programs send, by name (docs/operations.md). None of it alone is proof. A
 * limit gives one signal, and another one when it is exceeded twice over.
 * @param issued the form's nonce, undefined without a valid one
 */
export async function signalsOf(
  form: PostedForm,
  issued: IssuedForm | undefined,
  context: AppLoadContext,
): Promise<string[]> {
  const counted = await Promise.all(countersFor(issued, context).map((counter) => excess(counter, context)));
  return [...(form[HONEYPOT_FIELD] ? ["honeypot"] : []), ...ageSignals(issued), ...counted.flat()];
}

/** Whether as many forms of the kind were confirmed within a minute as may be posted. */
export async function isConfirmedTooOften(issued: IssuedForm | undefined, context: AppLoadContext): Promise<boolean> {
  const over = countersFor(issued, context).map(({ limiter, key }) =>
    isOverLimit(limiter, `${key} confirmed`, context.log),
  );
  return (await Promise.all(over)).includes(true);
}

function ageSignals(issued: IssuedForm | undefined): string[] {
  if (issued === undefined) return ["no_nonce"];
  return Date.now() - issued.issuedAt < FAST_MS ? ["fast"] : [];
}

/** Forms without a valid nonce are counted together, as if they had the same one. */
function countersFor(issued: IssuedForm | undefined, { configuration, ip }: AppLoadContext): Counter[] {
  return [
    { signal: "repeated", limiter: configuration.FORM_NONCE_RATE_LIMIT, key: issued?.id ?? "none" },
    { signal: "network", limiter: configuration.SIGNUP_NETWORK_RATE_LIMIT, key: networkKeyOf(rateLimitKeyOf(ip)) },
  ];
}

async function excess({ signal, limiter, key }: Counter, { log }: AppLoadContext): Promise<string[]> {
  if (!(await isOverLimit(limiter, key, log))) return [];
  return (await isFarOverLimit(limiter, key, log)) ? [signal, `${signal}_twice`] : [signal];
}
