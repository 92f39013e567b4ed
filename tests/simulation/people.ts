import { DAY, HOUR, SECOND } from "../support/api-in-process/scheduler";
import { SETTINGS } from "../support/api-in-process/settings";
import type { Answer } from "../support/api-in-process/stripe-objects";
import type { Deeds, Form } from "./deeds";
import { CUSTOM, PACKAGES } from "./packages";
import { type Random, randomOf } from "./random";
import type { Reply, World } from "./world";

const isDone = ({ status }: Answer) => status === 200 || status === 404;

/** Somebody in a history, whose decisions depend on the seed and on their name. */
export class Actor {
  readonly random: Random;

  constructor(
    readonly world: World,
    readonly deeds: Deeds,
    readonly name: string,
  ) {
    this.random = randomOf(world.seed, name);
  }

  pause(most: number): Promise<void> {
    return this.world.scheduler.sleep(this.random.between(0, most));
  }

  /** Tries until an answer passes `isDecided`. Long after the last fault, one has to within eight tries. */
  async insist(name: string, send: (name: string) => Promise<Reply>, isDecided = isDone, tries = 400): Promise<Reply> {
    let reply: Reply;
    let inQuiet = 0;
    for (let attempt = 1; attempt <= tries && inQuiet < 8; attempt += 1) {
      reply = await send(`${name} try ${attempt}`);
      if (reply && isDecided(reply)) return reply;
      if (this.world.isQuietFor(HOUR)) inQuiet += 1;
      await this.pause(attempt < 5 ? 4 * SECOND : HOUR / 4);
    }
    if (inQuiet === 8) this.world.violate(`${name} still gets ${reply?.status} although nothing fails any more`);
    return reply;
  }
}

/** Whoever reads an email of the API, and the scanner of its mail server, which opens each link. */
export class MailReader extends Actor {
  /** The reader may confirm the email address, and may report that they did not sign up. */
  async read(text: string): Promise<void> {
    const { deeds, name: key, random, world } = this;
    const [row] = world.rows("SELECT sign_up_id FROM outbox WHERE key = ?", key);
    const signUpId = String(row?.sign_up_id);
    const links = text.match(/\/links\/[\w-]+\/[\w.-]+/g) ?? [];
    if (random.chance(0.5)) for (const link of links) void world.request(`${key} scanner ${link}`, link, {});
    const press = async (kind: string, signUpIds: string[]) => {
      const path = links.find((link) => link.startsWith(`/links/${kind}/`));
      if (path === undefined) return;
      await this.pause(random.chance(0.5) ? 20 * SECOND : 20 * HOUR);
      if (kind === "not-me") this.#report(signUpId);
      const reply = await this.insist(`${key} ${kind}`, (name) => world.request(name, path, { method: "POST" }));
      if (kind === "not-me") this.#report(signUpId);
      if (reply?.status === 200) signUpIds.push(signUpId);
    };
    if (random.chance(0.3)) await press("verify-email", deeds.verified);
    if (random.chance(0.1)) await press("not-me", deeds.closed);
  }

  /** "This wasn't me" also ends what else has the address by then, if nobody has confirmed it. */
  #report(signUpId: string): void {
    const { deeds, world } = this;
    const ofAddress = "SELECT id FROM sign_ups WHERE email = (SELECT email FROM sign_ups WHERE id = ?)";
    for (const id of [signUpId, ...world.rows(ofAddress, signUpId).map((one) => String(one.id))])
      if (!deeds.reportedNotMe.has(id)) deeds.reportedNotMe.set(id, world.now);
  }
}

/** Somebody at the company, who has the operator's token. */
export class Operator extends Actor {
  /** Changes prices: the site and the API's catalog in either order, the site's alone, or the custom plan's. */
  async changePrices(): Promise<void> {
    const { random, world } = this;
    const changes = random.oneOf<number>([0, 0, 1, 3, 3]);
    for (let change = 1; change <= changes; change += 1) {
      await this.pause(random.chance(0.7) ? 30 * SECOND : 24 * HOUR);
      const { id, name, cents } = random.oneOf([...PACKAGES, CUSTOM]);
      const price_cents = Math.round(cents * random.oneOf([0.5, 0.9, 1.1, 2]));
      const status = id === CUSTOM.id ? "custom" : "listed";
      const catalog = () =>
        this.#ask(`changes ${change}`, "catalog", { packages: [{ id, name, price_cents, status }] });
      const onSite = () => id !== CUSTOM.id && world.sitePrices.set(id, price_cents);
      // A rollback with `--keep-prices` changes the site alone.
      for (const step of random.oneOf<(() => unknown)[]>([[onSite, catalog], [catalog, onSite], [onSite]])) {
        await step();
        await this.pause(60 * SECOND);
      }
    }
  }

  /** Exports and erases a person's data, at once or a day or two later. */
  async exportAndErase(email: string): Promise<void> {
    await this.pause(this.random.chance(0.5) ? 60 * SECOND : 50 * HOUR);
    await this.#ask("exports", "export", { email });
    await this.erase(email);
  }

  async erase(email: string): Promise<void> {
    // The request was sent before it reads the database.
    const at = this.world.now;
    const reply = await this.#ask("erases", "erase", { email });
    if (reply?.status === 200) this.deeds.erased.push({ email, at });
  }

  #ask(work: string, command: string, body: object): Promise<Reply> {
    const headers = { authorization: `Bearer ${SETTINGS.OPERATOR_TOKEN}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return this.insist(`${this.name} ${work}`, (name) => this.world.request(name, `/operator/${command}`, init));
  }
}

/** The company's sales, in Stripe's dashboard. */
export class Sales extends Actor {
  /** Subscribes a customer without a plan on any day, or moves the end of a customer's trial. */
  async work(setupIntent: string, { plan }: Form): Promise<void> {
    const { random, world } = this;
    await world.scheduler.sleep(random.between(0, world.conditions.to - world.now));
    if (plan.id === undefined && random.chance(0.5)) this.#sell(setupIntent);
    if (plan.id !== undefined && random.chance(0.15)) await this.#moveEnd(setupIntent);
  }

  #sell(setupIntent: string): void {
    const { deeds, random, world } = this;
    const customer = world.stripe.get(setupIntent)?.customer ?? "";
    const isOnTrial = "SELECT 1 FROM sign_ups WHERE stripe_customer_id = ? AND status IN ('trialing', 'canceled')";
    if (deeds.sold.has(customer) || world.rows(isOnTrial, customer).length === 0) return;
    deeds.sold.add(customer);
    const days = random.oneOf(["0", "5"]);
    const fields = { customer, "items[0][price]": random.oneOf(PACKAGES).price, trial_period_days: days };
    world.note(`${this.name}: subscribe ${customer}`);
    const body = new URLSearchParams(fields).toString();
    world.stripe.request("POST", new URL("https://stripe/v1/subscriptions"), body, undefined);
  }

  /** Away, and sometimes back to the same moment. */
  async #moveEnd(setupIntent: string): Promise<void> {
    const { random, world } = this;
    const { stripe, scheduler } = world;
    const [subscription] = stripe.all("subscription", stripe.get(setupIntent)?.customer);
    const end = (subscription?.trial_end ?? 0) * 1000;
    if (subscription === undefined || end < world.now) return;
    world.note(`${this.name}: move the end of ${subscription.id}`);
    stripe.trials.moveEnd(subscription, end + random.between(-2, 3) * DAY);
    await scheduler.sleep(random.between(0, 60) * HOUR);
    if (random.chance(0.5) && end > world.now) stripe.trials.moveEnd(subscription, end);
  }
}
