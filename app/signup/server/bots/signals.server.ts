import type { AppLoadContext } from "@remix-run/cloudflare";
import type { PostedForm } from "../../../pipeline/guard/request-body.server";
import { isFarOverLimit, isOverLimit, type RateLimit } from "../../../shared/limits/rate-limit";
import { networkKeyOf, rateLimitKeyOf } from "../../../shared/limits/rate-limit-key";
import { HONEYPOT_FIELD } from "../../form-schema";
import type { IssuedForm } from "../submit/form-nonce.server";

/** Faster than a person types, but not than autofill. */
const FAST_MS = 2_000;

/** Rate limits besides the sender's: by nonce and by network. */
interface Counter {
  signal: "repeated" | "network";
  limiter: RateLimit;
  key: string;
}

/**
 * Names of the bot signals of a form (docs/architecture.md, "Bots"). None of them is proof. A limit exceeded twice over is a
 * second signal.
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

/** True if the confirmed forms of a minute exceed the limits too. */
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

/** Counts forms without a valid nonce together. */
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
