import { SHOWN_TERMS_HEADER } from "../../app/contract/site-headers";
import { DAY, HOUR, MINUTE, SECOND } from "../support/api-in-process/scheduler";
import { type Answer, POOR } from "../support/api-in-process/stripe-objects";
import { validRequest } from "../support/person";
import { checkShownPrice } from "./charges";
import { centsIn, type Form, intentOf, mayBeSentAgain, type SentForm } from "./deeds";
import { CUSTOM, PACKAGES } from "./packages";
import { Actor, Operator, Sales } from "./people";
import { randomOf } from "./random";
import type { Reply } from "./world";

const PLANS: readonly [{ id: string | undefined }, ...{ id: string | undefined }[]] = [
  { id: undefined },
  ...PACKAGES,
  CUSTOM,
];

export class Visitor extends Actor {
  #isTwin = false;

  /** Everything one person does. Some people share an email address or a card. */
  async visit(index: number): Promise<void> {
    const { world } = this;
    const random = this.random;
    const twin = randomOf(world.seed, "twins").oneOf([0, 1, 2, 3, 4, 5, 6]);
    this.#isTwin = index === twin || index === twin + 1;
    const owner = index === twin + 1 || random.chance(0.15) ? index - 1 : index;
    const card = `${owner % 5 === 0 ? POOR : ""} card of ${owner}`;
    const email = `visitor-${random.chance(0.15) ? index - 1 : index}@example.com`;
    const form: Form = { name: this.name, key: `key-${index}`, email, plan: random.oneOf(PLANS) };
    const other = { ...form, name: `${form.name} other`, key: `${form.key}-other`, plan: random.oneOf(PLANS) };
    const enter = (sent: SentForm) => this.#enterCard(sent.reply, sent, card);
    this.deeds.visitors.push({ name: this.name, email });
    await this.pause(index * 2 * SECOND);
    // Some come after prices have changed.
    if (!this.#isTwin && random.chance(0.2)) await this.pause(random.oneOf([5 * MINUTE, 30 * HOUR]));
    if (world.conditions.faulty > 0 && random.chance(0.05))
      void new Operator(world, this.deeds, `operator ${index}`).exportAndErase(email);

    switch (
      random.oneOf(["", "", "", "double click", "two tabs", "other plan", "leaves", "a day later", "once more"])
    ) {
      case "double click":
        void this.#signUp({ ...form, name: `${form.name} again` });
        break;
      case "two tabs":
        void this.#signUp(other).then(enter);
        break;
      case "other plan": {
        const sent = await this.#signUp(form);
        // The first tab may send its card at the same time.
        if (random.chance(0.3)) void enter(sent);
        await this.pause(20 * SECOND);
        return enter(await this.#signUp(other));
      }
      case "once more": {
        // Without the session's cookie, with prices that may have changed, before or after the card.
        const sent = await this.#signUp(form);
        if (random.chance(0.5)) void enter(sent);
        await this.pause(random.oneOf([2 * MINUTE, 20 * HOUR]));
        const again = await this.#signUp({ ...form, name: `${form.name} once more` });
        return enter(again.reply?.status === 200 ? again : sent);
      }
      case "leaves":
        return void this.#signUp(form);
      case "a day later": {
        // Stripe's idempotency keys of the first attempt expire at this time.
        const due = world.now + DAY - 8 * SECOND;
        await this.#post({ ...form, name: `${form.name} the day before` });
        await world.scheduler.sleep(due - world.now);
        await this.pause(8 * SECOND);
        break;
      }
    }
    return enter(await this.#signUp(form));
  }

  async #post({ name, key, email, plan, shown }: Form): Promise<Reply> {
    const { world, deeds } = this;
    const headers = {
      ...{ "content-type": "application/json", "idempotency-key": key, "cf-connecting-ip": "192.0.2.1" },
      [SHOWN_TERMS_HEADER]: JSON.stringify({ price_cents: shown }),
    };
    const body = JSON.stringify({ ...validRequest, email, package_id: plan.id });
    const sentAt = world.now;
    deeds.firstSent.set(key, deeds.firstSent.get(key) ?? sentAt);
    if (shown !== undefined) deeds.shown.set(key, [...(deeds.shown.get(key) ?? []), shown]);
    const others = `SELECT 1 FROM sign_ups WHERE email = ? AND idempotency_key <> ? AND status IN ('card_set_up', 'trialing', 'active')`;
    const hasTrial = () => world.rows(others, email, key).length > 0;
    const hadTrial = hasTrial();
    const reply = await world.request(name, "/subscription", { method: "POST", headers, body });
    if (reply?.status === 200 && hadTrial && hasTrial())
      world.violate(`${name} got a 200 although its email address has a trial`);
    if (reply?.status === 200) this.#compare({ name, key, email, plan, told: centsIn(reply) }, intentOf(reply));
    const { canceled_at } = world.stripe.get(intentOf(reply)) ?? {};
    if ((canceled_at ?? sentAt) < sentAt) world.violate(`${name} got the client secret of a canceled setup intent`);
    return reply;
  }

  /** Compares the price that a page shows with the subscription's, if there is one. */
  #compare(form: Form, setupIntent: string): void {
    const { stripe } = this.world;
    const [subscription] = stripe.all("subscription", stripe.get(setupIntent)?.customer ?? "");
    checkShownPrice(this.world, this.deeds, form, subscription);
  }

  /** The price on a form's page that opens now: the site's, or the API's for a plan that the site does not list. */
  async #open(name: string, { id }: Form["plan"]): Promise<number | undefined> {
    if (id === undefined) return undefined;
    const listed = this.world.sitePrices.get(id);
    if (listed !== undefined) return listed;
    return centsIn(await this.world.request(name, `/subscription/packages/${id}`, {}));
  }

  /**
   * Sends the form until it is accepted or refused. Some visitors give up after four tries, and some leave the form open while prices
   * change. A page that comes back shows the current price. Returns the form as it was last sent.
   */
  async #signUp(form: Form): Promise<SentForm> {
    const isDecided = (answer: Answer) => [200, 409, 422].includes(answer.status) && !mayBeSentAgain(answer);
    const sendsPrice = this.random.chance(0.9);
    let sent = form;
    let page = await this.#open(`${form.name} opens`, form.plan);
    if (this.random.chance(0.2)) await this.pause(2 * MINUTE);
    const send = async (name: string) => {
      sent = { ...form, shown: sendsPrice ? page : undefined };
      const reply = await this.#post({ ...sent, name });
      if (reply) page = centsIn(reply) ?? (await this.#open(`${name} returns`, form.plan));
      return reply;
    };
    const reply = await this.insist(form.name, send, isDecided, this.random.chance(0.3) ? 4 : 400);
    this.deeds.sentForms.push({ ...sent, reply });
    return { ...sent, reply };
  }

  async #enterCard(reply: Reply, form: Form, card: string): Promise<void> {
    const { stripe } = this.world;
    const random = this.random;
    const setupIntent = intentOf(reply);
    if (setupIntent === "" || reply === undefined) return;
    if (this.#isTwin) await this.#meet(card);
    else await this.pause(random.chance(0.67) ? 60 * SECOND : 26 * HOUR);
    const declined = random.chance(0.1) ? Math.ceil(random.between(0, 6)) : 0;
    for (let tries = 0; tries < declined; tries += 1) {
      stripe.confirm(setupIntent, card, true);
      await this.pause(20 * SECOND);
    }
    if (random.chance(0.1)) {
      // The bank takes its time.
      const intent = stripe.get(setupIntent);
      if (intent?.status === "requires_payment_method") intent.status = "processing";
      await this.pause(20 * MINUTE);
    }
    const outcome = stripe.confirm(setupIntent, card, false);
    this.world.note(`${form.name} enters ${card}: ${outcome}`);
    const taken = outcome === "succeeded" ? this.deeds.consents : this.deeds.refused;
    taken.push({ ...form, told: centsIn(reply), setupIntent, card, at: this.world.now });
    if (outcome !== "succeeded") return;
    if (random.chance(0.04)) void this.#removeCard(setupIntent);
    void new Sales(this.world, this.deeds, `sales for ${form.name}`).work(setupIntent, form);
    const cancels = random.oneOf(["never", "never", "never", "at once", "at once", "later"]);
    if (cancels === "at once") await this.#cancel(setupIntent, 0);
    if (cancels === "later") void this.#cancel(setupIntent, random.between(60, 130) * HOUR);
    const path = /\/subscription\/status\/[\w.-]+/.exec(reply.text)?.[0] ?? "";
    for (let asks = 0; asks < 3 && (this.#isTwin || random.chance(0.7)); asks += 1) {
      const status = await this.world.request(`${form.name} ${setupIntent} status ${asks}`, path, {});
      if (status?.status === 200 && /"trial"|"pending"/.test(status.text))
        this.#compare({ ...form, name: `${form.name} at its status`, told: centsIn(status) }, setupIntent);
      if (status?.status === 200 && status.text.includes('"trial"')) return;
      if (status?.status === 200 && status.text.includes('"card_used"'))
        return this.#enterCard({ ...status, text: status.text + path }, form, `${card}, and another of ${form.name}`);
      await this.pause(4 * SECOND);
    }
  }

  /** Two visitors share a card and enter it at the same moment, unless their forms take longer. */
  async #meet(card: string): Promise<void> {
    const { seed, scheduler, now, conditions } = this.world;
    const moment = conditions.from + randomOf(seed, card).between(30, 90) * SECOND;
    await scheduler.sleep(Math.max(0, moment - now));
  }

  /** Someone deletes the customer or detaches the card in Stripe's dashboard, before the trial begins or shortly after. */
  async #removeCard(setupIntent: string): Promise<void> {
    const { stripe } = this.world;
    this.deeds.removed.add(setupIntent);
    await this.pause(this.random.chance(0.7) ? SECOND : 20 * SECOND);
    const { customer, payment_method } = stripe.get(setupIntent) ?? {};
    const path = this.random.chance(0.5)
      ? `DELETE /v1/customers/${customer}`
      : `POST /v1/payment_methods/${payment_method}/detach`;
    const [method = "", pathname = ""] = path.split(" ");
    this.world.note(`${this.name}: ${path}`);
    stripe.request(method, new URL(pathname, "https://stripe"), "", undefined);
  }

  /** Cancels the subscription immediately or at the trial's end, as soon as it exists or days later. */
  async #cancel(setupIntent: string, later: number): Promise<void> {
    const { stripe, scheduler, now, conditions } = this.world;
    // Its event may take two hours.
    if (now + later > conditions.to - 3 * HOUR) return;
    await scheduler.sleep(later);
    for (let tries = 60; tries > 0; tries -= 1) {
      await this.pause(SECOND);
      const [made] = stripe.all("subscription", stripe.get(setupIntent)?.customer);
      if (!made) continue;
      made.cancel_at_period_end = this.random.chance(0.3);
      stripe.become(made, made.status ?? "");
      if (made.cancel_at_period_end) return;
      await this.pause(SECOND);
      return stripe.become(made, "canceled");
    }
  }
}
