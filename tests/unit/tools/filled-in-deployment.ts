import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deployment } from "../../../tools/preflight/deployment";
import { PACKAGES } from "../../../tools/releases/prices";
import { readWorkerSettings } from "../../../tools/wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../../../tools/wrangler/wrangler";
import { filledIn, SECRETS } from "../../support/filled-in-settings";

/* A deployment of the repository after an owner has filled it in. */

const folder = mkdtempSync(join(tmpdir(), "preflight-"));
export const files = ["wrangler.toml", `${API_FOLDER}/wrangler.toml`];
const texts = files.map((file) => filledIn(readFileSync(join(root, file), "utf8")));

export const [LIVE, TEST] = ["pk_live_0123456789abcdef", "pk_test_0123456789abcdef"];
/** Finds a rate limiter of production, up to its limit. */
export const limiter = (name: string) =>
  new RegExp(`(env\\.production\\.ratelimits\\]\\]\nname = "${name}"\n[^]*?limit = )\\d+`);

/** As the API has and Stripe charges them. */
export const PRICES = PACKAGES.map((plan) => ({ ...plan, price_cents: 10_000 })).map((one) => ({
  ...one,
  stripe_price_id: `price_0123456789abcdef${one.name}`,
  status: "listed" as const,
  at_stripe: { active: true, currency: "usd", unit_amount: one.price_cents, recurring: "1 month" },
}));

/** A complete deployment after a change of the text of both files. */
export function deployment(from: string | RegExp = "", to = "", stage: Stage = "production"): Deployment {
  const [siteFile = "", apiFile = ""] = texts.map((text, index) => {
    const file = join(folder, `${index}.toml`);
    writeFileSync(file, typeof from === "string" ? text.replaceAll(from || "\0", to) : text.replace(from, to));
    return file;
  });
  const of = (one: Stage) => ({ site: readWorkerSettings(siteFile, one), api: readWorkerSettings(apiFile, one) });
  const { site, api } = of(stage);
  const ours = { name: "Acme", salesEmail: "sales@acme.com", postalAddress: ["1 Main Street"], profiles: [] };
  const other = of(stage === "staging" ? "production" : "staging");
  return { site, api, stage, other, account: { secrets: SECRETS, prices: PRICES }, company: ours };
}
