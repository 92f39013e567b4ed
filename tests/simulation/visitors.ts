import * as z from "zod";
import { validRequest } from "../support/visitor";
import { type Random, randomOf } from "./random";
import { HOUR } from "./scheduler";
import type { Heard, World } from "./world";

/** The packages of the first migration, and none. */
type Plan = { id: string; price: string } | undefined;
export const PLANS: [Plan, ...Plan[]] = [
  { id: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", price: "price_mini" },
  { id: "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220", price: "price_lite" },
  { id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", price: "price_standard" },
  undefined,
];

type Form = { name: string; key: string; email: string; plan: Plan; replaces?: string };
/** A form, when it was first sent, and what its sender was told at last. */
export type Told = Form & { sentAt: number; heard: Heard };
/** A card that Stripe took for a form, by which its owner agrees to that plan and price. */
export type Consent = Form & { setupIntent: string; card: string; declined: number; at: number };
export type Deeds = { told: Told[]; consents: Consent[] };

const accepted = z.object({ client_secret: z.string(), status_url: z.string() });
const SECOND = 1000;

/** One person, or two that have one e-mail address or one card, and all that they do. */
export async function visit(world: World, index: number, deeds: Deeds): Promise<void> {
  const random = randomOf(world.history.seed, `visitor ${index}`);
  const email = `visitor-${random.chance(0.15) ? index - 1 : index}@example.com`;
  const card = `card of ${random.chance(0.15) ? index - 1 : index}`;
  const plan = random.oneOf(PLANS);
  const first = { name: `visitor ${index}`, key: `key-${index}`, email, plan };
  await world.scheduler.sleep(index * random.between(0, 4 * SECOND));
  const once = () => signUp(world, random, first, deeds);
  const enter = (heard: Heard, form: Form) => enterCard(world, random, heard, form, card, deeds);

  switch (
    random.oneOf(["one", "one", "one", "double click", "two tabs", "other plan", "leaves", "other form", "stranger"])
  ) {
    case "one":
      return enter(await once(), first);
    case "double click": {
      const [heard] = await Promise.all([
        once(),
        signUp(world, random, { ...first, name: `${first.name} again` }, deeds),
      ]);
      return enter(heard, first);
    }
    case "two tabs": {
      const second = { ...first, name: `${first.name} tab`, key: `${first.key}-tab`, plan: random.oneOf(PLANS) };
      const both = [
        once().then((heard) => enter(heard, first)),
        signUp(world, random, second, deeds).then((heard) => enter(heard, second)),
      ];
      return Promise.all(both).then(() => {});
    }
    case "other plan": {
      const heard = await once();
      // The card may be on its way in the first tab.
      if (random.chance(0.3)) void enter(heard, first);
      await world.scheduler.sleep(random.between(0, 20 * SECOND));
      const other = {
        ...first,
        name: `${first.name} other`,
        key: `${first.key}-other`,
        plan: random.oneOf(PLANS),
        replaces: first.key,
      };
      return enter(await signUp(world, random, other, deeds), other);
    }
    case "leaves":
      await once();
      return;
    case "other form": {
      const heard = await once();
      const other = await post(world, { ...first, name: `${first.name} other form`, email: `other-${email}` });
      if (heard?.status === 200 && other?.status === 200)
        world.violate(`${first.name}: another form under the same key was taken`);
      return enter(heard, first);
    }
    case "stranger": {
      const heard = await once();
      const object = {
        id: idOf(heard),
        customer: "cus_1",
        metadata: { sign_up_id: "00000000-0000-4000-8000-000000000001" },
      };
      const body = JSON.stringify({ id: `evt_forged_${index}`, type: "setup_intent.succeeded", data: { object } });
      const headers = { "stripe-signature": world.stripe.signed(body, "whsec_guessed_by_a_stranger") };
      const forged = await world.request(`${first.name} forges`, "/webhooks/stripe", { method: "POST", headers, body });
      if (forged?.status === 200) world.violate(`${first.name}: a forged event was taken`);
      return enter(heard, first);
    }
  }
}

async function post(world: World, { name, key, email, plan, replaces }: Form): Promise<Heard> {
  const headers = {
    "content-type": "application/json",
    "idempotency-key": key,
    "cf-connecting-ip": "192.0.2.1",
    ...(replaces && { "replaces-idempotency-key": replaces }),
  };
  const body = JSON.stringify({ ...validRequest, email, package_id: plan?.id });
  return world.request(name, "/subscription", { method: "POST", headers, body });
}

/** Sends the form until it is taken or refused, some for a minute and some for as long as it needs. */
async function signUp(world: World, random: Random, form: Form, deeds: Deeds): Promise<Heard> {
  const tries = random.chance(0.3) ? 4 : 400;
  let heard: Heard;
  const sentAt = world.scheduler.now;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    heard = await post(world, { ...form, name: `${form.name} form ${attempt}` });
    if (heard?.status === 200 || heard?.status === 422) break;
    if (heard?.status === 409 && !heard.text.includes("in progress")) break;
    const isQuiet = world.scheduler.now > world.faultsEnd + HOUR;
    if (isQuiet && attempt > 8)
      world.violate(`${form.name} is still told ${heard?.status} though nothing fails any more`);
    if (isQuiet && attempt > 8) break;
    await world.scheduler.sleep(random.between(0, attempt < 5 ? 4 * SECOND : HOUR / 4));
  }
  deeds.told.push({ ...form, sentAt, heard });
  return heard;
}

async function enterCard(
  world: World,
  random: Random,
  heard: Heard,
  form: Form,
  card: string,
  deeds: Deeds,
): Promise<void> {
  if (heard?.status !== 200) return;
  const { client_secret, status_url } = accepted.parse(JSON.parse(heard.text));
  const pauses: [number, ...number[]] = [
    random.between(0, 60 * SECOND),
    random.between(0, 60 * SECOND),
    random.between(0, 26 * HOUR),
  ];
  await world.scheduler.sleep(random.oneOf(pauses));
  const declined = random.chance(0.1) ? Math.ceil(random.between(0, 6)) : 0;
  for (let tries = 0; tries < declined; tries += 1) {
    world.stripe.confirm(client_secret, card, true);
    await world.scheduler.sleep(random.between(0, 20 * SECOND));
  }
  const outcome = world.stripe.confirm(client_secret, card, false);
  world.note(`${form.name} enters a card: ${outcome}`);
  if (outcome !== "succeeded") return;
  const setupIntent = client_secret.split("_secret_")[0] ?? "";
  deeds.consents.push({ ...form, setupIntent, card, declined, at: world.scheduler.now });
  // Some cancel as soon as there is something to cancel.
  for (let tries = random.chance(0.3) ? 60 : 0; tries > 0; tries -= 1) {
    await world.scheduler.sleep(random.between(0, SECOND));
    if (world.stripe.cancelSubscriptionsOf(setupIntent)) break;
  }
  const path = new URL(status_url).pathname;
  for (let asks = 0; asks < 3 && random.chance(0.7); asks += 1) {
    const answer = await world.request(`${form.name} status ${asks}`, path, { method: "GET" });
    if (answer?.status === 200 && answer.text.includes('"trial"')) return;
    if (answer?.status === 200 && answer.text.includes('"card_used"')) {
      const text = JSON.stringify({ ...JSON.parse(answer.text), status_url });
      return enterCard(world, random, { status: 200, text }, form, `${card}, and another of ${form.name}`, deeds);
    }
    await world.scheduler.sleep(2 * SECOND);
  }
}

function idOf(heard: Heard): string {
  const parsed = heard?.status === 200 ? accepted.parse(JSON.parse(heard.text)) : undefined;
  return parsed?.client_secret.split("_secret_")[0] ?? "seti_unknown";
}
