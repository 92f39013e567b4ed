import { DAY, HOUR, MINUTE, SECOND } from "../support/api-in-process/scheduler";
import { SETTINGS } from "../support/api-in-process/settings";
import { type Answer, POOR } from "../support/api-in-process/stripe-model";
import { validRequest } from "../support/person";
import { type Random, randomOf } from "../support/random";
import type { Heard, World } from "./world";

/** The packages of the first migration, and none. */
const mini = { id: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", price: "price_mini" };
const lite = { id: "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220", price: "price_lite" };
const standard = { id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", price: "price_standard" };
const none = { id: undefined, price: undefined };
const PLANS = [mini, lite, standard, none] as const;

type Form = { name: string; key: string; email: string; plan: (typeof PLANS)[number] };
/** A form, and what its sender was told at last. */
export type Told = Form & { heard: Heard };
/** A card accepted by Stripe: its owner agrees to the form's plan and price. */
export type Consent = Form & { setupIntent: string; card: string; declined: number; at: number };
/** All that was done and told; `closed` and `verified` are ids of sign-ups. */
export class Deeds {
  readonly told: Told[] = [];
  readonly consents: Consent[] = [];
  /** Those that it did not take, because there was nothing to set them up for. */
  readonly refused: Consent[] = [];
  /** When each key was used first. */
  readonly firstSent = new Map<string, number>();
  readonly erased: { email: string; at: number }[] = [];
  readonly closed: string[] = [];
  /** When the owner of an address first asked to end a sign-up, by its id. */
  readonly reportedNotMe = new Map<string, number>();
  readonly verified: string[] = [];
}

type Send = (name: string) => Promise<Heard>;
const isDone = ({ status }: Answer) => status === 200 || status === 404;

export const intentOf = (heard: Heard): string =>
  (heard?.status === 200 && /"client_secret":"(\w+)_secret_/.exec(heard.text)?.[1]) || "";

export class Visitor {
  readonly #random: Random;

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
    const owner = random.chance(0.15) ? index - 1 : index;
    const card = `${owner % 5 === 0 ? POOR : ""} card of ${owner}`;
    const email = `visitor-${random.chance(0.15) ? index - 1 : index}@example.com`;
    const form: Form = { name: this.name, key: `key-${index}`, email, plan: random.oneOf(PLANS) };
    const other = { ...form, name: `${form.name} other`, key: `${form.key}-other`, plan: random.oneOf(PLANS) };
    const enter = (heard: Heard, sent = form) => this.#enterCard(heard, sent, card);
    await this.#pause(index * 2 * SECOND);
    if (world.faulty > 0 && random.chance(0.05))
      void new Visitor(world, this.deeds, `operator ${index}`).operate(email);

    switch (random.oneOf(["", "", "", "double click", "two tabs", "other plan", "leaves", "a day later"])) {
      case "double click":
        void this.#signUp({ ...form, name: `${form.name} again` });
        break;
      case "two tabs":
        void this.#signUp(other).then((heard) => enter(heard, other));
        break;
      case "other plan": {
        const heard = await this.#signUp(form);
        // The card may be on its way in the first tab.
        if (random.chance(0.3)) void enter(heard);
        await this.#pause(20 * SECOND);
        return enter(await this.#signUp(other), other);
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

  async #post({ name, key, email, plan }: Form): Promise<Heard> {
    const { world, deeds } = this;
    const headers = { "content-type": "application/json", "idempotency-key": key, "cf-connecting-ip": "192.0.2.1" };
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

  /** Sends the form until it is taken or refused, some for a minute and some for as long as it needs. */
  async #signUp(form: Form): Promise<Heard> {
    const isDecided = ({ status, text }: Answer) => [200, 409, 422].includes(status) && !text.includes("in progress");
    const send = (name: string) => this.#post({ ...form, name });
    const heard = await this.#insist(form.name, send, isDecided, this.#random.chance(0.3) ? 4 : 400);
    this.deeds.told.push({ ...form, heard });
    return heard;
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
    await this.#pause(random.chance(0.67) ? 60 * SECOND : 26 * HOUR);
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
    const cancels = random.oneOf(["never", "never", "never", "at once", "at once", "later"]);
    if (cancels === "at once") await this.#cancel(setupIntent, 0);
    if (cancels === "later") void this.#cancel(setupIntent, random.between(60, 130) * HOUR);
    const path = /\/subscription\/status\/[\w.-]+/.exec(heard.text)?.[0] ?? "";
    for (let asks = 0; asks < 3 && random.chance(0.7); asks += 1) {
      const told = await this.world.request(`${form.name} ${setupIntent} status ${asks}`, path, {});
      if (told?.status === 200 && told.text.includes('"trial"')) return;
      if (told?.status === 200 && told.text.includes('"card_used"'))
        return this.#enterCard({ ...told, text: told.text + path }, form, `${card}, and another of ${form.name}`);
      await this.#pause(4 * SECOND);
    }
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
    const [, signUpId = ""] = key.split("/");
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
