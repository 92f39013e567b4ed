import { PRICE_CHANGED } from "../../app/contract/problem-types";
import { SHOWN_PRICE_HEADER } from "../../app/contract/site-headers";
import { DAY, HOUR, MINUTE, SECOND } from "../support/api-in-process/scheduler";
import { SETTINGS } from "../support/api-in-process/settings";
import { type Answer, POOR } from "../support/api-in-process/stripe-objects";
import { validRequest } from "../support/person";
import { type Deeds, type Form, intentOf, type Told } from "./deeds";
import { PACKAGES } from "./price-list";
import { type Random, randomOf } from "./random";
import type { Heard, World } from "./world";

const PLANS: readonly [{ id: string | undefined }, ...{ id: string | undefined }[]] = [{ id: undefined }, ...PACKAGES];

type Send = (name: string) => Promise<Heard>;
const isDone = ({ status }: Answer) => status === 200 || status === 404;

export class Visitor {
  readonly #random: Random;
  #isTwin = false;

  constructor(
    readonly world: World,
    readonly deeds: Deeds,
    readonly name: string,
  ) {
    this.#random = randomOf(world.history.seed, name);
  }

  readonly #pause = (most: number) => this.world.scheduler.sleep(this.#random.between(0, most));

  /** One person, or two that have one email address or one card, and all that they do. */
  async visit(index: number): Promise<void> {
    const { world } = this;
    const random = this.#random;
    const twin = randomOf(world.history.seed, "twins").oneOf([0, 1, 2, 3, 4, 5, 6]);
    this.#isTwin = index === twin || index === twin + 1;
    const owner = index === twin + 1 || random.chance(0.15) ? index - 1 : index;
    const card = `${owner % 5 === 0 ? POOR : ""} card of ${owner}`;
    const email = `visitor-${random.chance(0.15) ? index - 1 : index}@example.com`;
    const form: Form = { name: this.name, key: `key-${index}`, email, plan: random.oneOf(PLANS) };
    const other = { ...form, name: `${form.name} other`, key: `${form.key}-other`, plan: random.oneOf(PLANS) };
    const enter = (told: Told) => this.#enterCard(told.heard, told, card);
    await this.#pause(index * 2 * SECOND);
    if (world.faulty > 0 && random.chance(0.05))
      void new Visitor(world, this.deeds, `operator ${index}`).operate(email);

    switch (random.oneOf(["", "", "", "double click", "two tabs", "other plan", "leaves", "a day later"])) {
      case "double click":
        void this.#signUp({ ...form, name: `${form.name} again` });
        break;
      case "two tabs":
        void this.#signUp(other).then(enter);
        break;
      case "other plan": {
        const told = await this.#signUp(form);
        // The card may be on its way in the first tab.
        if (random.chance(0.3)) void enter(told);
        await this.#pause(20 * SECOND);
        return enter(await this.#signUp(other));
      }
      case "leaves":
        return void this.#signUp(form);
      case "a day later": {
        // Stripe's idempotency keys of the first attempt expire at this time.
        const due = world.now + DAY - 8 * SECOND;
        await this.#post({ ...form, name: `${form.name} the day before` });
        await world.scheduler.sleep(due - world.now);
        await this.#pause(8 * SECOND);
        break;
      }
    }
    return enter(await this.#signUp(form));
  }

  async #post({ name, key, email, plan, shown }: Form): Promise<Heard> {
    const { world, deeds } = this;
    const headers = {
      ...{ "content-type": "application/json", "idempotency-key": key, "cf-connecting-ip": "192.0.2.1" },
      ...(shown !== undefined && { [SHOWN_PRICE_HEADER]: String(shown) }),
    };
    const body = JSON.stringify({ ...validRequest, email, package_id: plan.id });
    const sentAt = world.now;
    if (!deeds.firstSent.has(key)) deeds.firstSent.set(key, sentAt);
    const others = `SELECT 1 FROM sign_ups WHERE email = ? AND idempotency_key <> ? AND status IN ('card_set_up', 'trialing', 'active')`;
    const hasTrial = () => world.loaded.database.run(others, [email, key]).results.length > 0;
    const hadTrial = hasTrial();
    const heard = await world.request(name, "/subscription", { method: "POST", headers, body });
    if (heard?.status === 200 && hadTrial && hasTrial()) world.violate(`${name} was told 200 beside a trial`);
    const { canceled_at } = world.stripe.get(intentOf(heard)) ?? {};
    if ((canceled_at ?? sentAt) < sentAt) world.violate(`${name} was given a secret that takes no card`);
    return heard;
  }

  /**
   * Sends the form until it is taken or refused, some for a minute and some for as long as it needs. Each try is from a page that
   * shows the price of its time. Returns the form as it was sent last.
   */
  async #signUp(form: Form): Promise<Told> {
    const isUndecided = ({ text }: Answer) => text.includes("in progress") || text.includes(PRICE_CHANGED);
    const isDecided = (answer: Answer) => [200, 409, 422].includes(answer.status) && !isUndecided(answer);
    const tellsPrice = this.#random.chance(0.9);
    let sent = form;
    const send = (name: string) => {
      sent = { ...form, shown: tellsPrice ? this.world.prices.shown(form.plan.id) : undefined };
      return this.#post({ ...sent, name });
    };
    const heard = await this.#insist(form.name, send, isDecided, this.#random.chance(0.3) ? 4 : 400);
    this.deeds.told.push({ ...sent, heard });
    return { ...sent, heard };
  }

  /** Tries until there is such an answer. Long after the last fault there has to be one. */
  async #insist(name: string, send: Send, isDecided = isDone, tries = 400): Promise<Heard> {
    let heard: Heard;
    let inQuiet = 0;
    for (let attempt = 1; attempt <= tries && inQuiet < 8; attempt += 1) {
      heard = await send(`${name} try ${attempt}`);
      if (heard && isDecided(heard)) return heard;
      if (this.world.isQuietFor(HOUR)) inQuiet += 1;
      await this.#pause(attempt < 5 ? 4 * SECOND : HOUR / 4);
    }
    if (inQuiet === 8) this.world.violate(`${name} is still told ${heard?.status} though nothing fails any more`);
    return heard;
  }

  async #enterCard(heard: Heard, form: Form, card: string): Promise<void> {
    const { stripe } = this.world;
    const random = this.#random;
    const setupIntent = intentOf(heard);
    if (setupIntent === "" || heard === undefined) return;
    if (this.#isTwin) await this.#meet(card);
    else await this.#pause(random.chance(0.67) ? 60 * SECOND : 26 * HOUR);
    const declined = random.chance(0.1) ? Math.ceil(random.between(0, 6)) : 0;
    for (let tries = 0; tries < declined; tries += 1) {
      stripe.confirm(setupIntent, card, true);
      await this.#pause(20 * SECOND);
    }
    if (random.chance(0.1)) {
      // A slow bank.
      const intent = stripe.get(setupIntent);
      if (intent?.status === "requires_payment_method") intent.status = "processing";
      await this.#pause(20 * MINUTE);
    }
    const outcome = stripe.confirm(setupIntent, card, false);
    this.world.note(`${form.name} enters ${card}: ${outcome}`);
    const taken = outcome === "succeeded" ? this.deeds.consents : this.deeds.refused;
    taken.push({ ...form, setupIntent, card, declined, at: this.world.now });
    if (outcome !== "succeeded") return;
    if (random.chance(0.04)) void this.#removeCard(setupIntent);
    const cancels = random.oneOf(["never", "never", "never", "at once", "at once", "later"]);
    if (cancels === "at once") await this.#cancel(setupIntent, 0);
    if (cancels === "later") void this.#cancel(setupIntent, random.between(60, 130) * HOUR);
    const path = /\/subscription\/status\/[\w.-]+/.exec(heard.text)?.[0] ?? "";
    for (let asks = 0; asks < 3 && (this.#isTwin || random.chance(0.7)); asks += 1) {
      const told = await this.world.request(`${form.name} ${setupIntent} status ${asks}`, path, {});
      if (told?.status === 200 && told.text.includes('"trial"')) return;
      if (told?.status === 200 && told.text.includes('"card_used"'))
        return this.#enterCard({ ...told, text: told.text + path }, form, `${card}, and another of ${form.name}`);
      await this.#pause(4 * SECOND);
    }
  }

  /** Two of a history share a card and enter it at the same moment, unless their forms take longer than that. */
  async #meet(card: string): Promise<void> {
    const { history, scheduler, now, start } = this.world;
    const moment = start + randomOf(history.seed, card).between(30, 90) * SECOND;
    await scheduler.sleep(Math.max(0, moment - now));
  }

  /** Somebody deletes the customer or detaches the card in Stripe's dashboard, before the trial begins or a little later. */
  async #removeCard(setupIntent: string): Promise<void> {
    const { stripe } = this.world;
    this.deeds.removed.add(setupIntent);
    await this.#pause(this.#random.chance(0.7) ? SECOND : 20 * SECOND);
    const { customer, payment_method } = stripe.get(setupIntent) ?? {};
    const path = this.#random.chance(0.5)
      ? `DELETE /v1/customers/${customer}`
      : `POST /v1/payment_methods/${payment_method}/detach`;
    const [method = "", pathname = ""] = path.split(" ");
    this.world.note(`${this.name}: ${path}`);
    stripe.request(method, new URL(pathname, "https://stripe"), "", undefined);
  }

  /** The company changes its prices. */
  async changePrices(): Promise<void> {
    await this.world.prices.change((name, path, init) =>
      this.#insist(
        name,
        (attempt) => this.world.request(attempt, path, init),
        ({ status }) => status === 200,
      ),
    );
  }

  /** At once or for the trial's end, as soon as there is something to cancel, or days later. */
  async #cancel(setupIntent: string, later: number): Promise<void> {
    const { stripe, scheduler } = this.world;
    await scheduler.sleep(later);
    for (let tries = 60; tries > 0; tries -= 1) {
      await this.#pause(SECOND);
      const [made] = stripe.all("subscription", stripe.get(setupIntent)?.customer);
      if (!made) continue;
      made.cancel_at_period_end = this.#random.chance(0.3);
      stripe.become(made, made.status ?? "");
      if (made.cancel_at_period_end) return;
      await this.#pause(SECOND);
      return stripe.become(made, "canceled");
    }
  }

  /** What becomes of an email: its address is confirmed, or its reader knows of no sign-up. */
  async readMail(key: string, text: string): Promise<void> {
    const [row] = this.world.loaded.database.run("SELECT sign_up_id FROM outbox WHERE key = ?", [key]).results;
    const signUpId = String(row?.sign_up_id);
    const open = async (kind: string, method: string, told: string[]) => {
      const path = new RegExp(`/links/${kind}/[\\w.-]+`).exec(text)?.[0];
      if (path === undefined) return;
      await this.#pause(this.#random.chance(0.5) ? 20 * SECOND : 20 * HOUR);
      if (kind === "not-me" && !this.deeds.reportedNotMe.has(signUpId))
        this.deeds.reportedNotMe.set(signUpId, this.world.now);
      const heard = await this.#insist(`${key} ${kind}`, (name) => this.world.request(name, path, { method }));
      if (heard?.status === 200) told.push(signUpId);
    };
    if (this.#random.chance(0.3)) await open("verify-email", "GET", this.deeds.verified);
    if (this.#random.chance(0.1)) await open("not-me", "POST", this.deeds.closed);
  }

  /** An operator exports and erases a person's data. */
  async operate(email: string): Promise<void> {
    const headers = { authorization: `Bearer ${SETTINGS.OPERATOR_TOKEN}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ email }) };
    const ask = (work: string, path: string) =>
      this.#insist(`${this.name} ${work}`, (name) => this.world.request(name, path, init));
    await this.#pause(this.#random.chance(0.5) ? 60 * SECOND : 50 * HOUR);
    await ask("exports", "/operator/export");
    // Until nothing is left: a sign-up in progress creates a customer meanwhile.
    for (let round = 1, isLeft = true; isLeft; round += 1) {
      const at = this.world.now;
      const heard = await ask(`erases ${round}`, "/operator/erase");
      isLeft = heard?.status === 200 && heard.text !== '{"erased":0,"customers":0}';
      if (heard?.status === 200) this.deeds.erased.push({ email, at });
      await this.world.scheduler.sleep(5 * MINUTE);
    }
  }
}
