import { siteVisitor } from "../../support/visitors/site-visitor";
import { DEPLOYED, ORIGIN, startSite } from "../../support/workers/workers";

/* The built site with a deployment's settings, in front of an API that is unavailable. */

export async function startDeployedSite({ vars, ...rest }: Parameters<typeof startSite>[0] = {}) {
  const local = { STRIPE_JS_URL: undefined, STRIPE_API_URL: undefined };
  const api = { SUBSCRIPTION_API_URL: "https://api.site.example", SUBSCRIPTION_API_TIMEOUT_MS: "5000" };
  const miniflare = { outboundService: () => Response.json({}, { status: 503 }) };
  const site = await startSite({ vars: { ...DEPLOYED, ...api, ...local, ...vars }, miniflare, ...rest });
  const health = await siteVisitor(site, ORIGIN).get("/health");
  // A test that changes settings may want wrong ones.
  if (!vars && health.status !== 200) throw new Error(`The settings of the tests are wrong: ${health.body}`);
  return site;
}

/** @param change a script that sets `changed`, bindings in place of the Worker's */
const wrapper = (change: string) => ({
  script: `import site from "./worker.js"; ${change}
    export default { fetch: (request, env, context) => site.fetch(request, { ...env, ...changed }, context) };`,
});

/** Each form is one too many. */
export const OVER_LIMIT = wrapper(
  "const changed = { SIGNUP_RATE_LIMIT: { limit: async () => ({ success: false }) } };",
);

/** Signing a form's idempotency key throws, and so does hashing a public page. */
export const THROWING = wrapper(`const changed = {};
  for (const name of ["sign", "digest"]) crypto.subtle[name] = () => { throw new Error("words-of-the-error"); };`);
