import { expect, test, vi } from "vitest";
import * as z from "zod";
import { PLAN_RETIRED, REQUEST_IN_PROGRESS } from "../../../../app/contract/problem-types";
import { SHOWN_TERMS_HEADER } from "../../../../app/contract/site-headers";
import { MAX_FAILED_CARDS, TRIAL_DAYS } from "../../../../app/contract/trial";
import { apiInProcess } from "../../../support/api-in-process/api";
import { HOUR } from "../../../support/api-in-process/scheduler";
import { type Answer, refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";

stopClock();

const STANDARD = validRequest.package_id;
const FORM = JSON.stringify(validRequest);
const accepted = z.object({ status_url: z.string(), client_secret: z.string(), expires_at: z.string() });

function newApi() {
  const api = apiInProcess();
  const call = async (url: string, init: RequestInit = {}) => {
    const answer = await api.ask(url, init, "site");
    await api.settled();
    return answer;
  };
  const send = (body: string, headers: Record<string, string> = {}, origin = "http://localhost:8788") => {
    const sent = { "content-type": "application/json", ...headers };
    return call(`${origin}/subscription`, { method: "POST", headers: sent, body });
  };
  return { ...api, call, send };
}

/** An API whose accepted forms have a key, and the row of the first one, changed since. */
async function signUpWith(columns = "city = city") {
  const api = newApi();
  const { status_url, client_secret } = accepted.parse(await (await api.send(FORM, KEY)).json());
  api.rows(`UPDATE sign_ups SET ${columns}`);
  const status = async (method = "GET") => (await api.call(status_url, { method })).json();
  return { ...api, status, intentId: client_secret.split("_secret_")[0] ?? "" };
}

const KEY = { "idempotency-key": "k".repeat(255) };

test("an accepted form has a secret, an end 24 hours after it came first, and a status URL of its origin for an hour more", async () => {
  const { send, call, rows, logged } = newApi();
  const post = async () => accepted.parse(await (await send(FORM, KEY, "http://127.0.0.1:9")).json());
  const { status_url, client_secret, expires_at } = await post();
  expect(client_secret).toMatch(/^seti_\w+_secret_\w+$/);
  expect(new URL(status_url).origin).toBe("http://127.0.0.1:9");
  const [{ id } = {}] = rows("SELECT id FROM sign_ups");
  expect(logged).toContainEqual(expect.objectContaining({ event: "sign_up_accepted", signUpId: id }));
  expect(expires_at).toBe(new Date(NOW + 24 * HOUR).toISOString());
  vi.setSystemTime(NOW + 20 * HOUR);
  expect(await post(), "20 hours later, after a lost answer").toMatchObject({ expires_at });
  vi.setSystemTime(NOW + 25 * HOUR - 1_000);
  expect(await call(status_url)).toHaveStatus(200);
  vi.setSystemTime(NOW + 25 * HOUR);
  expect(await call(status_url)).toHaveStatus(404);
});

const BAD_TERMS = `The ${SHOWN_TERMS_HEADER} header is invalid`;
const BAD_KEY = "The Idempotency-Key header is invalid";
const NO_OBJECT = "The body must be a JSON object";

test.each([
  ...["[]", "null", "{"].map((body) => ({ what: `the body ${body}`, title: NO_OBJECT, body })),
  ...["k".repeat(256), "a b"].map((key) => {
    return { what: `the key ${key}`, title: BAD_KEY, headers: { "idempotency-key": key } };
  }),
  ...["", '{"price_cents":0}', '{"price_cents":1.5}', '{"tax_added":"no"}', '{"trial_days":0}', "[]"].map((shown) => {
    return { what: `the shown terms ${shown}`, title: BAD_TERMS, headers: { [SHOWN_TERMS_HEADER]: shown } };
  }),
])("a form with $what is refused with 400: $title", async (row) => {
  const { body = FORM, headers, title } = { body: undefined, headers: undefined, ...row };
  const { send, rows } = newApi();
  expect(await send(body, headers)).toBeProblem(400, title);
  expect(rows("SELECT id FROM sign_ups")).toEqual([]);
});

const RETIRED = "This plan is no longer available";
const UNKNOWN = "Invalid subscription ID";
const WRONG_EMAIL = "Please enter a valid email address";
const MESSAGE = expect.any(String);

test.each([
  { what: "an unknown package", change: { package_id: crypto.randomUUID() }, errors: { package_id: [UNKNOWN] } },
  { what: "a retired package", status: "retired", type: PLAN_RETIRED, errors: { package_id: [RETIRED] } },
  { what: "an email that Stripe refuses", stripe: refusal(400, "email_invalid"), errors: { email: [WRONG_EMAIL] } },
  { what: "two wrong fields", change: { city: "X", zipCode: "1" }, errors: { city: [MESSAGE], zipCode: [MESSAGE] } },
])("a form with $what is refused with a 422 that names each field, and stores nothing", async (row) => {
  const { change, stripe, status = "listed", type = "about:blank", errors } = row;
  const { send, instead, rows } = newApi();
  rows("UPDATE packages SET status = ?", status);
  if (stripe) instead.set("POST customers", stripe);
  const answer = await send(JSON.stringify({ ...validRequest, ...change }));
  expect(answer).toHaveStatus(422);
  expect(await answer.json()).toMatchObject({ type, errors });
  expect(rows("SELECT id FROM sign_ups")).toEqual([]);
});

const DUPLICATE = "A subscription with this information already exists";
const LAST_CARD = `declined_cards = ${MAX_FAILED_CARDS}`;
const REUSED = "The Idempotency-Key was used for a different request";

test.each([
  { what: "trial is over", columns: "status = 'canceled'", status: 409, problem: DUPLICATE, retryAfter: null },
  { what: "key was another form's", columns: "city = 'Boston'", status: 422, problem: REUSED, retryAfter: null },
  { what: "sign-up is just ending", columns: LAST_CARD, status: 409, problem: REQUEST_IN_PROGRESS, retryAfter: "1" },
])("a form whose $what is refused with $status, and may be sent again after $retryAfter seconds", async (row) => {
  const { send } = await signUpWith(row.columns);
  const answer = await send(FORM, KEY);
  expect(answer).toBeProblem(row.status, row.problem);
  expect(answer.headers.get("Retry-After")).toBe(row.retryAfter);
});

const AVAILABLE = { status: "available", price_cents: 50_000, currency: "usd" };

test.each([
  { what: "that is custom", id: STANDARD.toUpperCase(), status: "custom", answer: AVAILABLE },
  { what: "that is retired", id: STANDARD, status: "retired", answer: { status: "retired" } },
  { what: "that nobody knows", id: crypto.randomUUID(), status: "listed", answer: { status: "unknown" } },
])("the site can ask, in capitals too, for the price of a package $what: $answer", async ({ id, status, answer }) => {
  const { call, rows } = newApi();
  rows("UPDATE packages SET status = ? WHERE id = ?", status, STANDARD);
  expect(await (await call(`/subscription/packages/${id}`)).json()).toEqual(answer);
});

const DAYS = { tax_added: false, trial_days: TRIAL_DAYS };
const TERMS = { price_cents: 50_000, currency: "usd", ...DAYS };
const PENDING = { status: "pending", ...TERMS };
const TRIAL_END = "2026-12-01T00:00:00.000Z";
const TRIAL = { status: "trial", trial_end: TRIAL_END, ...TERMS };
const ENDED = { status: "ended" };
const IN_PROGRESS = refusal(409, "", "idempotency_error");

test.each<{ what: string; columns?: string; stripe?: Answer; answer: { status: string } }>([
  { what: "without a card", answer: PENDING },
  { what: "without a plan", columns: "price_cents = NULL", answer: { status: "pending", ...DAYS } },
  { what: "that another call advances", columns: "status = 'card_set_up'", stripe: IN_PROGRESS, answer: PENDING },
  { what: "on trial", columns: `status = 'trialing', trial_end = '${TRIAL_END}'`, answer: TRIAL },
  { what: "that has paid", columns: `status = 'active', trial_end = '${TRIAL_END}'`, answer: TRIAL },
  { what: "whose payment failed", columns: `status = 'past_due', trial_end = '${TRIAL_END}'`, answer: TRIAL },
  { what: "that was canceled", columns: "status = 'canceled'", answer: ENDED },
  { what: "whose last card failed", columns: LAST_CARD, answer: ENDED },
])("the status of a sign-up $what is $answer.status, and ended once it is gone", async (row) => {
  const { status, instead, rows } = await signUpWith(row.columns);
  if (row.stripe) instead.set("", row.stripe);
  expect(await status()).toEqual(row.answer);
  rows("DELETE FROM sign_ups");
  expect(await status()).toEqual(ENDED);
});

test("a sign-up that its visitor gives up ends, also a second time, and no late card starts its trial", async () => {
  const { status, rows, model, intentId } = await signUpWith();
  for (const _ of [1, 2]) expect(await status("DELETE")).toEqual(ENDED);
  expect(rows("SELECT status, end_reason FROM sign_ups")).toEqual([{ status: "ended", end_reason: "withdrawn" }]);
  expect(model.confirm(intentId, "a late card", false)).toBe("gone");
  expect(await status()).toEqual(ENDED);
});
