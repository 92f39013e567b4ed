import { expect } from "vitest";
import { findPlan } from "../../app/pricing/plans/plan-list";
import type { SignupReply, SignupStep } from "../../app/signup/steps";
import { OTHER_PLAN, PLAN } from "../support/site-in-process/site-settings";
import { CUSTOM } from "./price-list";
import type { randomOf } from "./random";
import type { Backend, Company, Rows } from "./site-backend";

/* The prices on the pages of the site's model, and the company that changes them. All prices are cents. */

/** The price on a page; undefined if it has none. */
export function shownOn(step: SignupStep, reply?: SignupReply): number | undefined {
  const form = reply?.form && String(reply.form.initialValue?.package_id ?? "");
  if (form !== undefined || step.step === "form") {
    const custom =
      step.step === "form" && (form ?? step.packageId) === step.packageId ? step.currentPriceCents : undefined;
    const packageId = form ?? ("packageId" in step ? step.packageId : "");
    return findPlan(packageId, reply?.currentPriceCents ?? custom)?.shownPriceCents ?? undefined;
  }
  if (!("agreedPriceCents" in step)) return undefined;
  return findPlan(step.packageId, step.agreedPriceCents)?.shownPriceCents ?? undefined;
}

/** The company changes a price on the site and at the API in either order, keeps one in a rollback, or retires the custom plan. */
export async function changePrices({ company, random }: { company?: Company; random: ReturnType<typeof randomOf> }) {
  if (!company) return;
  const cents = Math.round(random.between(100, 600)) * 100;
  const { id, name } = CUSTOM;
  if (random.chance(0.2)) return company.catalog({ retired: [id] });
  if (random.chance(0.3)) return company.catalog({ packages: [{ id, name, price_cents: cents, status: "custom" }] });
  const packageId = random.oneOf([PLAN, OTHER_PLAN]);
  const atApi = () => company.catalog({ packages: [{ id: packageId, name: "A plan", price_cents: cents }] });
  const onSite = () => company.list(packageId, cents);
  const steps = random.oneOf<(() => unknown)[]>([[onSite, atApi], [onSite], [atApi]]);
  for (const step of steps) await step();
}

/** A sign-up that waits for its card costs no more than the form that led to it showed. */
export async function expectNoMore(
  { rows }: Pick<Backend, "rows">,
  clientSecret: string,
  shownCents = "",
): Promise<void> {
  const query = "SELECT price_cents FROM sign_ups WHERE stripe_setup_intent_id = ? AND status = 'pending'";
  const [row] = await rows(query, clientSecret.split("_secret_")[0] ?? "");
  if (row && shownCents) expect(Number(shownCents), "the form's price").toBeGreaterThanOrEqual(Number(row.price_cents));
}

/** A page after the form shows the price of its sign-up, which Stripe charges. @param rows the sign-up's, or its email address's */
export async function expectTrue(
  { chargesOf }: Pick<Backend, "chargesOf">,
  { kind, shown, email }: { kind: string; shown: number | undefined; email: string },
  rows: Rows,
): Promise<void> {
  if (!["card", "waiting", "done"].includes(kind) || rows.length === 0) return;
  expect(
    rows.map(({ price_cents }) => price_cents),
    `the price of the ${kind} page`,
  ).toContain(shown ?? null);
  if (kind === "done") expect(await chargesOf(email), "what Stripe charges").toEqual([shown]);
}
