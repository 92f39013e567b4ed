import { expect, onTestFinished } from "vitest";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { callApi } from "../../../tools/operator/call-api";
import { PACKAGES } from "../../../tools/releases/prices";
import { filledIn, filledInCompany } from "../../support/filled-in-settings";
import { rows } from "../../support/visitors/visitor";
import { type RunningWorker, startBackend } from "../../support/workers/workers";
import { checkOut } from "./checkout";
import { startCloudflare } from "./cloudflare";

/** The Workers of production. */
export const NAMES = ["citewell-site", "citewell-subscription-api"];
export const API = "functions/subscription-api";
const { OPERATOR_TOKEN } = LOCAL_SECRETS;

/** In cents, by the package's name. */
type Prices = Record<string, number>;
export const USUAL = { MINI: 1_999, LITE: 9_950 };

/** A checkout that an owner has filled in, with a stand-in for Cloudflare's API, and the reference API on D1. */
export async function checkOutForProduction() {
  const checkout = await checkOut();
  for (const file of ["wrangler.toml", `${API}/wrangler.toml`]) await checkout.change(file, filledIn);
  await checkout.change("app/company.ts", filledInCompany);

  /** Runs commands in the checkout with an account of Cloudflare. No command shows a stack. */
  async function inAccount(api?: RunningWorker) {
    const cloudflare = await startCloudflare(api);
    onTestFinished(cloudflare.dispose);
    const { changes } = cloudflare;
    /** `steps`: the Workers and prices that it changed, in order. */
    const run = async (script: string, args: string[], env: NodeJS.ProcessEnv = { OPERATOR_TOKEN }) => {
      changes.length = 0;
      const ended = await checkout.run(script, args, { ...cloudflare.env, ...env });
      expect(ended.output).not.toMatch(/\n\s+at |node:internal/);
      const steps = changes.flatMap((change) => change.match(/catalog: .*|citewell-[\w-]+/) ?? []);
      return { ...ended, steps: steps.filter((step, index) => step !== steps[index - 1]) };
    };
    return { ...cloudflare, run };
  }

  /** The same with production's API. `live`: prices in cents that it sells at; none before a first deployment. */
  async function inProduction(live?: Prices) {
    const backend = await startBackend();
    onTestFinished(backend.dispose);
    const account = await inAccount(backend.api);
    const sold = PACKAGES.map((one) => ({ ...one, price_cents: live?.[one.name] ?? one.price_cents }));
    if (live) await callApi({ url: backend.api.url, token: OPERATOR_TOKEN }, "catalog", { packages: sold });
    const prices = async () =>
      Object.fromEntries(
        (await rows(backend.api, "SELECT name, price_cents FROM packages")).map((row) => [row.name, row.price_cents]),
      );
    return { ...account, ...backend, prices };
  }

  /** Commits plans with these prices in cents. */
  async function commitPrices(prices: Prices): Promise<string> {
    for (const [title, cents] of Object.entries(prices)) {
      await checkout.change("app/contract/plans.ts", (text) =>
        text.replace(RegExp(`("${title}", priceCents: )[\\d_]+`), `$1${cents}`),
      );
    }
    return checkout.commit();
  }

  return { checkout, inAccount, inProduction, commitPrices };
}
