import { expect, test } from "vitest";
import { TERMS_CHANGED } from "../../../../app/contract/problem-types";
import { SHOWN_TERMS_HEADER } from "../../../../app/contract/site-headers";
import type { SomeTerms } from "../../../../app/contract/terms";
import { TRIAL_DAYS } from "../../../../app/contract/trial";
import { createSignUp } from "../../../../functions/subscription-api/sign-ups/create-sign-up";
import { advance } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";
import { signUpsInProcess } from "./sign-ups";
import { postedForm, SITUATIONS } from "./situations";

/* Nobody gets worse terms than the form showed. The agreed terms stay, even if the catalog, a setting or a release changes. */

stopClock();

const STANDARD = validRequest.package_id;
const NO_PRICE = { price_cents: null, stripe_price_id: null, tax_added: 0 };
const [PRICE, PRICE_ID] = [50_000, "price_standard"];

function forms(settings: Record<string, unknown> = {}) {
  const api = apiInProcess({ settings });
  const showing = async (shown: SomeTerms, form: object = {}) => {
    const answer = await api.post(form, { "idempotency-key": "the-key", [SHOWN_TERMS_HEADER]: JSON.stringify(shown) });
    await api.settled();
    return answer;
  };
  const setPrice = (cents: number) =>
    api.rows("UPDATE packages SET price_cents = ?1, stripe_price_id = 'price_' || ?1 WHERE id = ?2", cents, STANDARD);
  return { ...api, showing, setPrice };
}

test.each<{ shown: SomeTerms; tax?: string; form?: object; agreed?: object }>([
  { shown: {}, agreed: { price_cents: PRICE, stripe_price_id: PRICE_ID, tax_added: 0, trial_days: TRIAL_DAYS } },
  { shown: { price_cents: PRICE, tax_added: false, trial_days: TRIAL_DAYS }, agreed: { price_cents: PRICE } },
  { shown: { price_cents: PRICE - 1 } },
  { shown: { trial_days: TRIAL_DAYS + 1 } },
  { shown: { tax_added: true }, tax: "true", agreed: { tax_added: 1 } },
  { shown: { tax_added: false }, tax: "true" },
  { shown: { price_cents: 1, tax_added: false }, tax: "true", form: { package_id: undefined }, agreed: NO_PRICE },
])("a form that showed $shown, if AUTOMATIC_TAX is $tax, agrees to $agreed or is told the terms", async (row) => {
  const { shown, tax = "false", form, agreed } = row;
  const { showing, rows, calls, logged } = forms({ AUTOMATIC_TAX: tax });
  const answer = await showing(shown, form);
  const stored = rows("SELECT * FROM sign_ups");
  if (agreed) {
    expect(answer).toHaveStatus(200);
    expect(stored).toEqual([expect.objectContaining(agreed)]);
    return;
  }
  const terms = { price_cents: PRICE, tax_added: tax === "true", trial_days: TRIAL_DAYS };
  expect(answer).toBeProblem(409, TERMS_CHANGED);
  expect(await answer.json()).toMatchObject({ ...terms, currency: "usd" });
  const line = { on: "warn", event: "terms_changed", packageId: STANDARD, ...terms, shown: JSON.stringify(shown) };
  expect(logged).toContainEqual(expect.objectContaining(line));
  expect({ stored, calls }).toEqual({ stored: [], calls: [] });
});

test("the same form, sent again from pages with other terms, gets the best price, tax and trial that it showed", async () => {
  const { showing, setPrice, rows, deploy } = forms({ AUTOMATIC_TAX: "true" });
  await showing({ price_cents: PRICE, tax_added: true, trial_days: TRIAL_DAYS });
  for (const { costs, shows, status = 200, agreed } of [
    { costs: 60_000, shows: PRICE, agreed: PRICE },
    { costs: PRICE, shows: 40_000, status: 409, agreed: PRICE },
    { costs: 40_000, shows: 40_000, agreed: 40_000 },
    { costs: 60_000, shows: 60_000, agreed: 40_000 },
  ]) {
    setPrice(costs);
    expect(await showing({ price_cents: shows })).toHaveStatus(status);
    const terms = { price_cents: agreed, stripe_price_id: agreed === PRICE ? PRICE_ID : `price_${agreed}` };
    expect(rows("SELECT price_cents, stripe_price_id FROM sign_ups")).toEqual([terms]);
  }
  rows("UPDATE sign_ups SET trial_days = ?", TRIAL_DAYS + 2);
  deploy({ AUTOMATIC_TAX: "false" });
  expect(await showing({ price_cents: 60_000, tax_added: false, trial_days: TRIAL_DAYS })).toHaveStatus(200);
  const agreed = { price_cents: 40_000, tax_added: 0, trial_days: TRIAL_DAYS + 2 };
  expect(rows("SELECT price_cents, tax_added, trial_days FROM sign_ups")).toEqual([agreed]);
});

test.each(["before", "while"])("a trial that begins %s its form is sent again keeps its price", async (begins) => {
  const api = signUpsInProcess();
  const signUp = await SITUATIONS["pending, a card"](api);
  api.rows("UPDATE packages SET price_cents = 40000, stripe_price_id = 'price_new' WHERE id = ?", STANDARD);
  if (begins === "while") {
    api.before("SELECT * FROM sign_ups WHERE id = ?", () => advance(signUp, api.services));
  } else {
    await advance(signUp, api.services);
    api.rows("UPDATE packages SET status = 'retired'");
  }
  const [{ idempotency_key } = {}] = api.rows("SELECT idempotency_key FROM sign_ups");
  const form = postedForm(validRequest, String(idempotency_key));
  const { status } = await createSignUp({ ...form, shown: { price_cents: 40_000 } }, api.services);
  expect(status).toBe("created");
  expect(await api.find(signUp.id)).toMatchObject({ status: "trialing", price_cents: PRICE });
});

test("a trial has its form's terms although the catalog, AUTOMATIC_TAX and TRIAL_DAYS have changed before the card", async () => {
  const { rows, pending, enterCard, model, runScheduled, deploy, sent, find } = signUpsInProcess();
  const days = TRIAL_DAYS + 2;
  const withPlan = await pending({}, `trial_days = ${days}`);
  const noPlan = `package_id = NULL, price_cents = NULL, stripe_price_id = NULL, trial_days = ${days}`;
  const withoutPlan = await pending({ email: "no@plan.example" }, noPlan);
  rows("UPDATE packages SET price_cents = 60000, stripe_price_id = 'price_new' WHERE id = ?", STANDARD);
  deploy({ AUTOMATIC_TAX: "true" });
  for (const [at, signUp] of [withPlan, withoutPlan].entries()) enterCard(signUp, `card ${at}`);
  rows("UPDATE sign_ups SET check_at = created_at");
  await runScheduled();
  expect(model.all("subscription").map(({ items }) => items?.data[0]?.price.id)).toEqual([PRICE_ID]);
  const { params } = sent.find(({ call }) => call === "POST subscriptions") ?? {};
  expect(params).toMatchObject({ trial_period_days: String(days) });
  expect(params).not.toHaveProperty("automatic_tax[enabled]");
  expect(await find(withoutPlan.id)).toMatchObject({ trial_end: new Date(NOW + days * DAY).toISOString() });
});
