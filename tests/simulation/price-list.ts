import { HOUR, type Scheduler, SECOND } from "../support/api-in-process/scheduler";
import { SETTINGS } from "../support/api-in-process/settings";
import { randomOf } from "./random";

type Package = { id: string; name: string; cents: number; price: string };

/** The packages of the first migration, and their prices at Stripe. */
export const PACKAGES: readonly [Package, ...Package[]] = [
  { id: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", name: "MINI", cents: 10_000, price: "price_mini" },
  { id: "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220", name: "LITE", cents: 20_000, price: "price_lite" },
  { id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", name: "STANDARD", cents: 50_000, price: "price_standard" },
];

const CHANGES = [0, 0, 1, 3, 3] as const;
/** A price changes by one of these factors. */
const BY = [0.5, 0.9, 1.1, 2] as const;

type Ask = (name: string, path: string, init: RequestInit) => Promise<unknown>;

/** The prices that the site shows. During a history an operator changes them and the API's catalog, in either order. */
export class PriceList {
  /** Oldest first. */
  readonly #changes: { id: string; cents: number; at: number }[] = PACKAGES.map((one) => ({ ...one, at: 0 }));

  constructor(
    readonly seed: number,
    readonly scheduler: Scheduler,
  ) {}

  /** The price in cents on a page that was opened at this time; undefined without a plan. */
  shownAt(time: number, packageId: string | undefined): number | undefined {
    return this.#changes.findLast(({ id, at }) => id === packageId && at <= time)?.cents;
  }

  /** @param ask sends a request until it is answered with 200 */
  async change(ask: Ask): Promise<void> {
    const { scheduler, seed } = this;
    const random = randomOf(seed, "price list");
    const catalog = new Map(PACKAGES.map(({ id, cents }) => [id, cents]));
    const authorization = `Bearer ${SETTINGS.OPERATOR_TOKEN}`;
    const headers = { "content-type": "application/json", authorization };
    const changes = random.oneOf<number>(CHANGES);
    for (let change = 1; change <= changes; change += 1) {
      await scheduler.sleep(random.chance(0.7) ? random.between(0, 30) * SECOND : random.between(0, 24) * HOUR);
      const { id } = random.oneOf(PACKAGES);
      const cents = Math.round((catalog.get(id) ?? 0) * random.oneOf(BY));
      catalog.set(id, cents);
      const packages = PACKAGES.map(({ id, name }) => ({ id, name, price_cents: catalog.get(id) }));
      const init = { method: "POST", headers, body: JSON.stringify({ packages }) };
      const deploySite = () => void this.#changes.push({ id, cents, at: scheduler.now });
      const isSiteFirst = random.chance(0.5);
      if (isSiteFirst) deploySite();
      await scheduler.sleep(random.between(0, 60) * SECOND);
      await ask(`catalog ${change}`, "/operator/catalog", init);
      await scheduler.sleep(random.between(0, 60) * SECOND);
      if (!isSiteFirst) deploySite();
    }
  }
}
