import { expect, test } from "vitest";
import * as z from "zod";
import { PRICE_CHANGED } from "../../../../app/contract/problem-types";
import { SHOWN_PRICE_HEADER } from "../../../../app/contract/site-headers";
import { createSignUp } from "../../../../functions/subscription-api/sign-ups/create-sign-up";
import { advance } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { apiInProcess } from "../../../support/api-in-process/api";
import { stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { signUpsInProcess } from "./sign-ups";
import { postedForm, SITUATIONS, TRIGGERS } from "./situations";

/* Nobody is charged more than the form showed. The agreed price stays, even if the catalog changes. */

stopClock();

const STANDARD = validRequest.package_id;
const RAISED = "UPDATE packages SET price_cents = 60000, stripe_price_id = 'price_new' WHERE id = ?";
const PRICE = "SELECT price_cents, stripe_price_id FROM sign_ups";

/** Posts a form whose page showed a price, in cents. */
function forms() {
  const api = apiInProcess();
  const showing = (shown: string | undefined, key: string = crypto.randomUUID()) =>
    api.post({}, { "idempotency-key": key, ...(shown !== undefined && { [SHOWN_PRICE_HEADER]: shown }) });
  return { ...api, showing };
}

test.each([
  { shown: "50000", says: "as it is", status: 200 },
  { shown: "50001", says: "higher than it is", status: 200 },
  { shown: undefined, says: "not named", status: 200 },
  { shown: "49999", says: "lower than it is", status: 409 },
])("a form with the plan's price $says is answered $status", async ({ shown, status }) => {
  const { showing, rows, settled } = forms();
  expect((await showing(shown)).status).toBe(status);
  const accepted = status === 200 ? [{ price_cents: 50_000, stripe_price_id: "price_standard" }] : [];
  expect(rows(PRICE), "what was stored").toEqual(accepted);
  await settled();
});

test("a plan that has become more expensive is refused with its price by its own problem type, logged, and asks Stripe for nothing", async () => {
  const { showing, rows, calls, logged } = forms();
  rows(RAISED, STANDARD);
  const response = await showing("50000");
  expect(await response.json()).toMatchObject({ type: PRICE_CHANGED, price_cents: 60_000, currency: "usd" });
  const line = {
    on: "warn",
    event: "price_changed",
    packageId: STANDARD,
    shownPriceCents: 50_000,
    currentPriceCents: 60_000,
  };
  expect(logged).toContainEqual(expect.objectContaining(line));
  expect(calls).toEqual([]);
});

test("a form without a plan shows no price that could be too low", async () => {
  const { post, settled, rows } = forms();
  expect((await post({ package_id: undefined }, { [SHOWN_PRICE_HEADER]: "1" })).status).toBe(200);
  expect(rows(PRICE)).toEqual([{ price_cents: null, stripe_price_id: null }]);
  await settled();
});

test("the same form again continues its sign-up at the agreed price, whatever the plan costs now", async () => {
  const { showing, rows, settled } = forms();
  await showing("50000", "the-key");
  rows(RAISED, STANDARD);
  expect((await showing("50000", "the-key")).status).toBe(200);
  expect(rows(PRICE)).toEqual([{ price_cents: 50_000, stripe_price_id: "price_standard" }]);
  await settled();
});

test.each([
  { prices: [40_000], agreed: 40_000 },
  { prices: [40_000, 30_000], agreed: 30_000 },
  { prices: [30_000, 40_000], agreed: 30_000 },
  { prices: [40_000, 30_000, 40_000], agreed: 30_000 },
])(
  "the same form, sent again from pages with the prices $prices, gets the lowest: $agreed",
  async ({ prices, agreed }) => {
    const { showing, rows, settled } = forms();
    await showing("50000", "the-key");
    for (const cents of prices) {
      rows("UPDATE packages SET price_cents = ?, stripe_price_id = ? WHERE id = ?", cents, `price_${cents}`, STANDARD);
      expect(await showing(String(cents), "the-key")).toHaveStatus(200);
    }
    expect(rows(PRICE)).toEqual([{ price_cents: agreed, stripe_price_id: `price_${agreed}` }]);
    await settled();
  },
);

test("the same form from a page that shows less than the plan costs is refused, and its sign-up stays as it was", async () => {
  const { showing, rows, settled } = forms();
  await showing("50000", "the-key");
  expect(await showing("40000", "the-key")).toBeProblem(409, PRICE_CHANGED);
  expect(rows(PRICE)).toEqual([{ price_cents: 50_000, stripe_price_id: "price_standard" }]);
  await settled();
});

test("a lower price on the page changes no trial that has begun", async () => {
  const { showing, rows, model, settled } = forms();
  const { client_secret } = z
    .object({ client_secret: z.string() })
    .parse(await (await showing("50000", "the-key")).json());
  model.confirm(client_secret.split("_secret_")[0] ?? "", "a card", false);
  await showing("50000", "the-key");
  rows("UPDATE packages SET price_cents = 40000, stripe_price_id = 'price_new' WHERE id = ?", STANDARD);
  expect(await showing("40000", "the-key")).toHaveStatus(200);
  expect(rows(PRICE)).toEqual([{ price_cents: 50_000, stripe_price_id: "price_standard" }]);
  await settled();
});

test("a trial that begins while the same form comes from a page with a lower price keeps its price", async () => {
  let comesBetween: (() => Promise<unknown>) | undefined;
  const api = signUpsInProcess({
    io: async (sql, effect) => {
      const go = sql === "SELECT * FROM sign_ups WHERE id = ?" ? comesBetween : undefined;
      if (go) comesBetween = undefined;
      await go?.();
      return effect();
    },
  });
  const signUp = await SITUATIONS["pending, a card"](api);
  api.rows("UPDATE packages SET price_cents = 40000, stripe_price_id = 'price_new' WHERE id = ?", STANDARD);
  const [{ idempotency_key } = {}] = api.rows("SELECT idempotency_key FROM sign_ups");
  const form = postedForm({ request: validRequest, idempotencyKey: String(idempotency_key) });
  comesBetween = () => advance(signUp, api.services);
  await createSignUp({ ...form, shownPriceCents: 40_000 }, api.services);
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing", price_cents: 50_000 });
});

test("a trial has its form's price although the catalog's has changed before the card, and its email says so", async () => {
  const { instead, rows, pending, enterCard, model, runScheduled } = signUpsInProcess();
  const emails: string[] = [];
  instead.set("POST http://localhost:8789/emails", async (_, request) => void emails.push(await request.text()));
  const signUp = await pending();
  rows(RAISED, STANDARD);
  enterCard(signUp);
  rows("UPDATE sign_ups SET check_at = created_at");
  await runScheduled();
  expect(model.all("subscription").map(({ items }) => items?.data[0]?.price.id)).toEqual(["price_standard"]);
  expect(emails.join()).toContain("First payment: $500.00 USD");
});

test("a crash after Stripe made the subscription repeats it at the same price, although the catalog has changed", async () => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["card_set_up, a subscription"](api);
  api.rows(RAISED, STANDARD);
  await TRIGGERS["card event"](api, signUp);
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing", stripe_price_id: "price_standard" });
  expect(api.model.all("subscription")).toHaveLength(1);
});

test("a trial whose price was archived at Stripe starts once the price is active again", async () => {
  const api = signUpsInProcess();
  const { model, find, logged } = api;
  const signUp = await SITUATIONS["card_set_up, a card"](api);
  const price = Object.assign(model.get("price_standard") ?? {}, { active: false });
  await TRIGGERS.cron(api, signUp);
  expect(await find(signUp.id)).toMatchObject({ status: "card_set_up" });
  const refused = logged.filter(({ event }) => event === "stripe_failed").map(({ param }) => param);
  expect(refused, "the parameters that Stripe refused").toEqual(["items[0][price]"]);
  price.active = true;
  await TRIGGERS.cron(api, signUp);
  expect(await find(signUp.id)).toMatchObject({ status: "trialing" });
  expect(model.all("subscription")).toHaveLength(1);
});
