import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { PAID_PLANS } from "../../app/contract/plans";
import { ToolError } from "../failures";
import { type Api, apiOf, callApi } from "../operator/call-api";
import { root } from "../wrangler/wrangler";
import { git } from "./commit";

/** A plan as the API sells it; cents a month. */
export type Package = { id: string; name: string; price_cents: number };
export type PackageRow = Package & { stripe_price_id: string };

const packages = z
  .array(z.object({ packageId: z.string(), title: z.string(), monthlyPrice: z.number() }))
  .transform((plans): Package[] =>
    plans.map((plan) => ({ id: plan.packageId, name: plan.title, price_cents: plan.monthlyPrice * 100 })),
  );

export const PACKAGES = packages.parse(PAID_PLANS);

const PLANS = "app/contract/plans.ts";

/** The packages of an earlier commit. Throws ToolError if this clone lacks it. */
export function packagesAt(commit: string): Promise<Package[]> {
  const source = git("show", `${commit}:${PLANS}`);
  if (source !== undefined) return packagesIn(source);
  throw new ToolError(
    `✗ This clone lacks the commit ${commit}, whose prices return. Nothing was changed: git fetch --unshallow`,
  );
}

async function packagesIn(source: string): Promise<Package[]> {
  const { transform } = await import("esbuild");
  const { code } = await transform(source, { loader: "ts" });
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return z.object({ PAID_PLANS: packages }).parse(module).PAID_PLANS;
}

/** Gives the API of `npm start` the plans as they are now. Throws ToolError if it refuses. */
export async function setLocalPrices(): Promise<void> {
  await callApi(apiOf("local"), "catalog", { packages: await packagesIn(readFileSync(join(root, PLANS), "utf8")) });
}

/** Not a placeholder of the first migration. */
export const hasStripePrice = ({ stripe_price_id }: PackageRow) => /^price_\w{14,}$/.test(stripe_price_id);

export type PriceChanges = { beforeSite: Package[]; afterSite: Package[]; sentences: string[] };

/**
 * What the API's catalog has to learn in a release. So that nobody is ever charged more than the page showed, it has lower prices
 * before the site, and higher ones after the site. What is new comes before the site offers it.
 * @param known the rows of the API's table `packages`
 */
export function priceChanges(wanted: readonly Package[], known: readonly PackageRow[]): PriceChanges {
  const changes: PriceChanges = { beforeSite: [], afterSite: [], sentences: [] };
  for (const one of wanted) {
    const row = known.find(({ id }) => id === one.id);
    const price = `${dollarsOf(one)} a month`;
    if (row && hasStripePrice(row) && row.price_cents < one.price_cents) {
      changes.afterSite.push(one);
      changes.sentences.push(`${one.name}: ${dollarsOf(row)} → ${price}, after the site`);
    } else if (!row || !hasStripePrice(row) || row.price_cents !== one.price_cents || row.name !== one.name) {
      const was = row?.price_cents === one.price_cents || !row ? "" : `${dollarsOf(row)} → `;
      changes.beforeSite.push(one);
      changes.sentences.push(`${one.name}: ${was}${price}, before the site`);
    }
  }
  return changes;
}

export function dollarsOf({ price_cents }: { price_cents: number }): string {
  return `$${(price_cents / 100).toFixed(2).replace(/\.00$/, "")}`;
}

export function changesPrices({ sentences }: PriceChanges): boolean {
  return sentences.length > 0;
}

const catalog = z.object({ prices: z.array(z.object({ name: z.string(), price_cents: z.number() })) });

/**
 * Gives the API packages and their prices at Stripe, all or none.
 * @param otherwise what is true, and what to do, if the API refuses; for the ToolError
 */
export async function setPrices(api: Api, changed: readonly Package[], otherwise: string): Promise<void> {
  if (changed.length === 0) return;
  const answer = await callApi(api, "catalog", { packages: changed }).catch((error: unknown) => {
    throw error instanceof ToolError ? new ToolError(`✗ prices: ${error.message} ${otherwise}`) : error;
  });
  const { prices } = catalog.parse(answer);
  console.log(`✓ prices: ${prices.map((price) => `${price.name} ${dollarsOf(price)}`).join(", ")}`);
}
