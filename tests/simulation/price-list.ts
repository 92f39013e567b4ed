import { PAID_PLANS } from "../../app/contract/plans";
import { HOUR, type Scheduler, SECOND } from "../support/api-in-process/scheduler";
import { type Random, randomOf } from "./random";

type Package = { id: string; name: string; cents: number; price: string };

const [mini, lite, standard] = PAID_PLANS;
/** The packages of the first migration, and their prices at Stripe. */
export const PACKAGES: readonly [Package, ...Package[]] = [
  { id: mini.packageId, name: "MINI", cents: 10_000, price: "price_mini" },
  { id: lite.packageId, name: "LITE", cents: 20_000, price: "price_lite" },
  { id: standard.packageId, name: "STANDARD", cents: 50_000, price: "price_standard" },
];
/** A plan that is sold by its link alone. It is in the database from the beginning. */
export const CUSTOM: Package = {
  id: "11111111-2222-4333-8444-555555555555",
  name: "TEAM",
  cents: 77_700,
  price: "price_team",
};

const CHANGES = [0, 0, 1, 3, 3] as const;
/** A price changes by one of these factors. */
const BY = [0.5, 0.9, 1.1, 2] as const;

type Ask = (name: string, catalog: object) => Promise<unknown>;

/** The prices that the site shows. During a history an operator changes them and the API's catalog, in either order. */
export class PriceList {
  /** Oldest first. No cents: the site does not list the plan. */
  readonly #changes: { id: string; cents: number | undefined; at: number }[] = PACKAGES.map((one) => ({
    ...one,
    at: 0,
  }));
  /** Packages that are not sold surely `from` a time `to` another one, and perhaps from when an operator asked until one was told. */
  readonly #retired: { id: string; asked: number; from: number; to: number; told: number }[] = [];
  readonly #random: Random;
  /** The API's prices; none for a retired package. */
  readonly #catalog = new Map(PACKAGES.map(({ id, cents }) => [id, cents]));

  constructor(
    seed: number,
    readonly scheduler: Scheduler,
  ) {
    this.#random = randomOf(seed, "price list");
  }

  /** The price in cents on a page that was opened at this time; undefined for a plan that the site does not list. */
  listedAt(time: number, packageId: string): number | undefined {
    return this.#changes.findLast(({ id, at }) => id === packageId && at <= time)?.cents;
  }

  /** True if the package is, or is about to be, no longer sold at any moment of a period. */
  mayBeRetired(packageId: string | undefined, from: number, to: number): boolean {
    return this.#retired.some((one) => one.id === packageId && one.asked <= to && from <= one.told);
  }

  /** True if the package is not sold in the whole period. */
  isRetired(packageId: string | undefined, from: number, to: number): boolean {
    return this.#retired.some((one) => one.id === packageId && one.from <= from && to < one.to);
  }

  /** @param ask sends a catalog until it is answered with 200 */
  async change(ask: Ask): Promise<void> {
    const random = this.#random;
    const changes = random.oneOf<number>(CHANGES);
    for (let change = 1; change <= changes; change += 1) {
      await this.scheduler.sleep(random.chance(0.7) ? random.between(0, 30) * SECOND : random.between(0, 24) * HOUR);
      const set = (catalog: object) => ask(`catalog ${change}`, catalog);
      await random
        .oneOf([this.#reprice, this.#reprice, this.#keepPrices, this.#repriceCustom, this.#retire])
        .call(this, set);
    }
  }

  /** Another price for a plan, which is listed again if it was retired. */
  async #reprice(set: (body: object) => Promise<unknown>): Promise<void> {
    const { id, cents: first } = this.#random.oneOf(PACKAGES);
    const cents = this.#another(this.#catalog.get(id) ?? first);
    this.#catalog.set(id, cents);
    const listed = PACKAGES.filter((one) => this.#catalog.has(one.id));
    const packages = listed.map((one) => ({ id: one.id, name: one.name, price_cents: this.#catalog.get(one.id) }));
    await this.#inEitherOrder(
      () => this.#sell(id, () => set({ packages })),
      () => this.#changes.push({ id, cents, at: this.scheduler.now }),
    );
  }

  /** A rollback with `--keep-prices`: the site shows another price than the API has. */
  async #keepPrices(): Promise<void> {
    const { id, cents } = this.#random.oneOf(PACKAGES);
    if (this.#catalog.has(id)) this.#changes.push({ id, cents: this.#another(cents), at: this.scheduler.now });
  }

  async #repriceCustom(set: (body: object) => Promise<unknown>): Promise<void> {
    const { id, name, cents } = CUSTOM;
    const packages = [{ id, name, price_cents: this.#another(cents), status: "custom" }];
    await this.#sell(id, () => set({ packages }));
  }

  /** A release that no longer lists a plan; or the end of the custom plan. */
  async #retire(set: (body: object) => Promise<unknown>): Promise<void> {
    const { id } = this.#random.oneOf([...PACKAGES, CUSTOM] as const);
    this.#catalog.delete(id);
    const retired = { id, asked: this.scheduler.now, from: Infinity, to: Infinity, told: Infinity };
    this.#retired.push(retired);
    await this.#inEitherOrder(
      async () => {
        await set({ retired: [id] });
        retired.from = this.scheduler.now;
      },
      () => this.#changes.push({ id, cents: undefined, at: this.scheduler.now }),
    );
  }

  /** A package may be sold again from the first try to set it on, and surely is once that has succeeded. */
  async #sell(id: string, set: () => Promise<unknown>): Promise<void> {
    const retired = this.#retired.filter((one) => one.id === id && one.to === Infinity);
    for (const one of retired) one.to = this.scheduler.now;
    await set();
    for (const one of retired) one.told = this.scheduler.now;
  }

  #another(cents: number): number {
    return Math.round(cents * this.#random.oneOf(BY));
  }

  async #inEitherOrder(setCatalog: () => Promise<unknown>, deploySite: () => unknown): Promise<void> {
    const isSiteFirst = this.#random.chance(0.5);
    if (isSiteFirst) deploySite();
    await this.scheduler.sleep(this.#random.between(0, 60) * SECOND);
    await setCatalog();
    await this.scheduler.sleep(this.#random.between(0, 60) * SECOND);
    if (!isSiteFirst) deploySite();
  }
}
