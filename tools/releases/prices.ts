import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { monthlyPrice, shortAmount } from "../../app/contract/money";
import { PAID_PLANS } from "../../app/contract/plans";
import { type Package, packageRow } from "../../functions/subscription-api/packages";
import type { Item } from "../../functions/subscription-api/stripe/prices";
import { ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { type Api, apiOf, callApi } from "../operator/call-api";
import { root } from "../wrangler/wrangler";
import { wrongPrice } from "../wrong-price";
import type { Git } from "./commit";
import type { Step } from "./steps";

const packages = z
  .array(z.object({ packageId: z.string(), title: z.string(), priceCents: z.number() }))
  .transform((plans): Item[] =>
    plans.map(({ packageId, title, priceCents }) => ({ id: packageId, name: title, price_cents: priceCents })),
  );

export const PACKAGES = packages.parse(PAID_PLANS);

const PLANS = "app/contract/plans.ts";

/** The packages of an earlier commit. Throws ToolError if this clone lacks it. */
export function packagesAt(commit: string, git: Git): Promise<Item[]> {
  const source = git(["show", `${commit}:${PLANS}`]);
  if (source !== undefined) return parsePlans(source);
  throw new ToolError(`✗ This clone lacks the commit ${commit}, whose prices are needed: git fetch --unshallow`);
}

/** The packages of the text of plans.ts, also an earlier release's. Throws ToolError for a price that cannot be charged. */
export async function parsePlans(source: string): Promise<Item[]> {
  const { transform } = await import("esbuild");
  const { code } = await transform(source, { loader: "ts" });
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const { PAID_PLANS } = z.object({ PAID_PLANS: packages }).parse(module);
  const wrong = wrongPrice(PAID_PLANS.map(({ name, price_cents }) => ({ title: name, priceCents: price_cents })));
  if (wrong !== undefined) throw new ToolError(wrong);
  return PAID_PLANS;
}

export const catalog = z.object({ prices: z.array(packageRow) });

/** Copies the plans into the API of `npm start` and retires others, as a release does. Throws ToolError if refused. */
export async function setLocalPrices(
  beside: Pick<Neighbors, "settingsOf" | "fetch" | "env"> = neighbors,
): Promise<void> {
  const api = apiOf("local", beside);
  const plans = await parsePlans(readFileSync(join(root, PLANS), "utf8"));
  const { prices } = catalog.parse(await callApi(api, "catalog", { packages: plans }));
  const retired = priceChanges(plans, prices).retired.map(({ id }) => id);
  if (retired.length > 0) await callApi(api, "catalog", { retired });
}

/** True for Stripe's own price IDs, false for the first migration's placeholders. */
export const hasStripePrice = ({ stripe_price_id }: Pick<Package, "stripe_price_id">) =>
  /^price_\w{14,}$/.test(stripe_price_id);

/** `retired`: packages that are no longer sold, after the site has stopped offering them. */
export type PriceChanges = { beforeSite: Item[]; afterSite: Item[]; retired: Item[]; sentences: string[] };

/**
 * So that nobody is ever charged more than the page showed, lower prices apply before the site is deployed and higher
 * ones after it. New packages come before the site offers them. Unlisted ones are retired, except custom ones.
 */
export function priceChanges(wanted: readonly Item[], known: readonly Package[]): PriceChanges {
  const changes: PriceChanges = { beforeSite: [], afterSite: [], retired: [], sentences: [] };
  for (const one of wanted) {
    const row = known.find(({ id }) => id === one.id);
    const isOffered = row !== undefined && row.status === "listed" && hasStripePrice(row);
    const price = monthlyPrice(one.price_cents);
    if (isOffered && row.price_cents < one.price_cents) {
      changes.afterSite.push(one);
      changes.sentences.push(`${one.name}: ${shortAmount(row.price_cents)} → ${price}, after the site`);
    } else if (!isOffered || row.price_cents !== one.price_cents || row.name !== one.name) {
      const was = row?.price_cents === one.price_cents || !row ? "" : `${shortAmount(row.price_cents)} → `;
      changes.beforeSite.push(one);
      changes.sentences.push(`${one.name}: ${was}${price}, before the site`);
    }
  }
  for (const { id, name, price_cents, status } of known) {
    if (status !== "listed" || wanted.some((one) => one.id === id)) continue;
    changes.retired.push({ id, name, price_cents });
    changes.sentences.push(`${name}: no longer sold, after the site`);
  }
  return changes;
}

export function changesPrices({ sentences }: PriceChanges): boolean {
  return sentences.length > 0;
}

/** `otherwise`: if the API refuses, the end of the ToolError's message: what else may help. */
type StepOptions = { retired?: readonly Item[]; otherwise?: string };

/** The step that sets changed prices and retires packages, in the API and at Stripe, all or none; no step without a change. */
export function pricesStep(
  api: Api | undefined,
  changed: readonly Item[],
  { retired = [], otherwise = "" }: StepOptions = {},
): Step[] {
  if (api === undefined || changed.length + retired.length === 0) return [];
  const listed = changed.map((one) => `${one.name} ${monthlyPrice(one.price_cents)}`);
  const result = `prices: ${[...listed, ...retired.map(({ name }) => `${name} no longer sold`)].join(", ")}`;
  const body = {
    ...(changed.length > 0 && { packages: changed }),
    ...(retired.length > 0 && { retired: retired.map(({ id }) => id) }),
  };
  const run = async () => {
    await callApi(api, "catalog", body).catch((error: unknown) => {
      throw error instanceof ToolError ? new ToolError(`✗ prices: ${error.message}${otherwise}`) : error;
    });
    console.log(`✓ ${result}`);
  };
  return [{ result, run }];
}
