import { expect } from "vitest";
import { OTHER_PLAN, PLAN } from "../support/site-in-process/site-settings";
import { CUSTOM } from "./price-list";
import type { Random } from "./random";
import { type Backend, intentOf } from "./site-with-api";

/* The company that changes prices, and what the pages of the site's model show. All prices are cents. */

/** The company changes a price on the site and at the API in either order, keeps one in a rollback, or retires the custom plan. */
export async function changePrices({ catalog, listPrice, random }: Backend & { random: Random }) {
  const cents = Math.round(random.between(100, 600)) * 100;
  const { id, name } = CUSTOM;
  if (random.chance(0.2)) return catalog({ retired: [id] });
  if (random.chance(0.3)) return catalog({ packages: [{ id, name, price_cents: cents, status: "custom" }] });
  const packageId = random.oneOf([PLAN, OTHER_PLAN]);
  const atApi = () => catalog({ packages: [{ id: packageId, name: "A plan", price_cents: cents }] });
  const onSite = () => listPrice(packageId, cents);
  const steps = random.oneOf<(() => unknown)[]>([[onSite, atApi], [onSite], [atApi]]);
  for (const step of steps) await step();
}

/** A sign-up that waits for its card costs no more than the form that led to it showed. */
export function expectNoMore({ rows }: Backend, clientSecret: string, shownCents = ""): void {
  const query = "SELECT price_cents FROM sign_ups WHERE stripe_setup_intent_id = ? AND status = 'pending'";
  const [row] = rows(query, intentOf(clientSecret));
  if (row && shownCents) expect(Number(shownCents), "the form's price").toBeGreaterThanOrEqual(Number(row.price_cents));
}

/** A page after the form shows the price of its sign-up, which Stripe charges. @param rows the sign-up's, or its email address's */
export function expectTrue(
  { chargesOf }: Backend,
  { kind, shown, email }: { kind: string; shown: number | undefined; email: string },
  rows: Record<string, unknown>[],
): void {
  if (!["card", "waiting", "done"].includes(kind) || rows.length === 0) return;
  expect(
    rows.map(({ price_cents }) => price_cents),
    `the price of the ${kind} page`,
  ).toContain(shown ?? null);
  if (kind === "done") expect(chargesOf(email), "what Stripe charges").toEqual([shown]);
}
