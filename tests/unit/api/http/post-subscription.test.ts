import { expect, test } from "vitest";
import * as z from "zod";
import { REQUEST_IN_PROGRESS } from "../../../../app/contract/problem-types";
import { SHOWN_PRICE_HEADER } from "../../../../app/contract/site-headers";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";

/* The answers of POST /subscription. The helper checks each answer against the API's description. */

stopClock();

const JSON_TYPE = { "content-type": "application/json" };
const accepted = z.object({ status_url: z.string() });
const refused = z.object({ errors: z.record(z.string(), z.array(z.string())) });

function newApi(settings: Record<string, unknown> = {}) {
  const api = apiInProcess({ settings });
  return {
    ...api,
    /** Posts any body as the site does, and waits for the work after the answer. */
    async send(body: string, headers: Record<string, string> = {}, origin = "http://localhost:8788") {
      const init = { method: "POST", headers: { ...JSON_TYPE, ...headers }, body };
      const answer = await api.ask(`${origin}/subscription`, init, "site");
      await api.settled();
      return answer;
    },
  };
}

const FORM = JSON.stringify(validRequest);

test("an accepted form is answered with a client secret", async () => {
  const { send } = newApi();
  expect(await (await send(FORM)).json()).toMatchObject({
    client_secret: expect.stringMatching(/^seti_\w+_secret_\w+$/),
  });
});

test.each([
  { where: "locally", settings: {}, origin: "http://127.0.0.1:9" },
  { where: "in a deployment", settings: DEPLOYED, origin: "https://api.example" },
])("$where the status URL has the origin $origin that was asked", async ({ settings, origin }) => {
  const { send } = newApi(settings);
  const { status_url } = accepted.parse(await (await send(FORM, {}, origin)).json());
  expect(new URL(status_url).origin).toBe(origin);
});

test.each([
  { what: "a list", body: "[]" },
  { what: "text", body: '"text"' },
  { what: "null", body: "null" },
  { what: "cut off", body: "{" },
  { what: "empty", body: "" },
])("a body that is $what is refused with 400", async ({ body }) => {
  const { send } = newApi();
  expect(await send(body)).toBeProblem(400, "The body must be a JSON object");
});

test.each([
  { what: "255 characters", key: "k".repeat(255), status: 200 },
  { what: "256 characters", key: "k".repeat(256), status: 400 },
  { what: "a space", key: "a b", status: 400 },
])("an Idempotency-Key with $what is answered with $status", async ({ key, status }) => {
  const { send } = newApi();
  expect(await send(FORM, { "idempotency-key": key })).toHaveStatus(status);
});

test.each([{ price: "" }, { price: "-1" }, { price: "1.5" }, { price: "ten" }, { price: "1234567890" }])(
  "the shown price $price, which is no number of cents, is refused with 400",
  async ({ price }) => {
    const { send } = newApi();
    expect(await send(FORM, { [SHOWN_PRICE_HEADER]: price })).toBeProblem(
      400,
      `The ${SHOWN_PRICE_HEADER} header is invalid`,
    );
  },
);

test("a package that is not sold is refused with a 422 that names the field", async () => {
  const { send } = newApi();
  const answer = await send(JSON.stringify({ ...validRequest, package_id: "00000000-0000-4000-8000-000000000000" }));
  expect(answer).toHaveStatus(422);
  expect(refused.parse(await answer.json()).errors).toEqual({ package_id: ["Invalid subscription ID"] });
});

test("an email address that Stripe refuses is refused with 422, which names the field", async () => {
  const { send, instead } = newApi();
  instead.set("POST customers", refusal(400, "email_invalid"));
  const answer = await send(FORM);
  expect(answer).toHaveStatus(422);
  expect(refused.parse(await answer.json()).errors).toEqual({ email: ["Please enter a valid email address"] });
});

test("fields that break a rule are refused with 422, each with its message", async () => {
  const { send } = newApi();
  const answer = await send(JSON.stringify({ ...validRequest, city: "X", zipCode: "1" }));
  expect(answer).toHaveStatus(422);
  expect(Object.keys(refused.parse(await answer.json()).errors).sort()).toEqual(["city", "zipCode"]);
});

/** An API with a sign-up under the key "k", whose row was changed since. */
async function withSignUp(columns: string) {
  const api = newApi();
  await api.send(FORM, { "idempotency-key": "k" });
  api.rows(`UPDATE sign_ups SET ${columns}`);
  return { ...api, sendAgain: () => api.send(FORM, { "idempotency-key": "k" }) };
}

test("a form whose trial is over is refused with 409", async () => {
  const { sendAgain } = await withSignUp("status = 'canceled'");
  expect(await sendAgain()).toBeProblem(409, "A subscription with this information already exists");
});

test("a key that was used for another form is refused with 422", async () => {
  const { sendAgain } = await withSignUp("city = 'Boston'");
  expect(await sendAgain()).toBeProblem(422, "The Idempotency-Key was used for a different request");
});

test("a form whose sign-up is just ending may be sent again after a second", async () => {
  const { sendAgain } = await withSignUp("declined_cards = 5");
  const answer = await sendAgain();
  expect(answer).toBeProblem(409, REQUEST_IN_PROGRESS);
  expect(answer).toHaveHeader("Retry-After", "1");
});
