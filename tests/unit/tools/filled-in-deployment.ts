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
const files = ["wrangler.toml", `${API_FOLDER}/wrangler.toml`];
const texts = files.map((file) => filledIn(readFileSync(join(root, file), "utf8")));

export const [LIVE, TEST] = ["pk_live_0123456789abcdef", "pk_test_0123456789abcdef"];
/** As the API has and Stripe charges them. */
export const PRICES = PACKAGES.map(({ id, name }) => ({
  ...{ id, name, price_cents: 10_000, stripe_price_id: `price_0123456789abcdef${name}`, status: "listed" as const },
  at_stripe: { active: true, currency: "usd", unit_amount: 10_000, recurring: "1 month", product_name: name },
}));

/** A change of the text of a wrangler.toml. */
export type Edit = { from: string | RegExp; to: string };

/** A complete deployment after edits of both files: each place with the same text, or the first that a pattern finds. */
export function deployment(edits: Edit[] = [], stage: Stage = "production"): Deployment {
  const [siteFile = "", apiFile = ""] = texts.map((text, index) => {
    const file = join(folder, `${index}.toml`);
    const edited = edits.reduce(
      (before, { from, to }) => (typeof from === "string" ? before.replaceAll(from, to) : before.replace(from, to)),
      text,
    );
    writeFileSync(file, edited);
    return file;
  });
  const of = (one: Stage) => ({ site: readWorkerSettings(siteFile, one), api: readWorkerSettings(apiFile, one) });
  const other = of(stage === "staging" ? "production" : "staging");
  const company = { name: "Acme", salesEmail: "sales@acme.com", postalAddress: ["1 Main Street"], profiles: [] };
  return { ...of(stage), stage, other, account: { secrets: SECRETS, prices: PRICES }, company };
}
