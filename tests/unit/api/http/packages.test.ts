import { expect, test } from "vitest";
import { PLAN_RETIRED } from "../../../../app/contract/problem-types";
import { SHOWN_PRICE_HEADER } from "../../../../app/contract/site-headers";
import { apiInProcess } from "../../../support/api-in-process/api";
import { stopClock } from "../../../support/clock";
import { validRequest } from "../../../support/person";

/* What the API says about one package, and the forms of packages that are no longer sold. */

stopClock();

const STANDARD = validRequest.package_id;
const RETIRED = "UPDATE packages SET status = 'retired' WHERE id = ?";

const AVAILABLE = { status: "available", price_cents: 50_000, currency: "usd" };

test.each([
  { what: "that is listed", id: STANDARD, status: "listed", answer: AVAILABLE },
  { what: "that is custom", id: STANDARD, status: "custom", answer: AVAILABLE },
  { what: "in capital letters", id: STANDARD.toUpperCase(), status: "listed", answer: AVAILABLE },
  { what: "that is retired", id: STANDARD, status: "retired", answer: { status: "retired" } },
  { what: "that nobody knows", id: crypto.randomUUID(), status: "listed", answer: { status: "unknown" } },
])("the price of a package $what is for the site alone", async ({ id, status, answer }) => {
  const { ask, rows } = apiInProcess();
  rows("UPDATE packages SET status = ? WHERE id = ?", status, STANDARD);
  const response = await ask(`https://api.example/subscription/packages/${id}`, {}, "site");
  expect(await response.json()).toEqual(answer);
});

test("a form for a retired package is refused by its own problem type and stores nothing", async () => {
  const { post, rows, settled } = apiInProcess();
  rows(RETIRED, STANDARD);
  const response = await post();
  expect(response).toBeProblem(422, PLAN_RETIRED);
  expect(await response.json()).toMatchObject({ errors: { package_id: ["This plan is no longer available"] } });
  expect(rows("SELECT * FROM sign_ups")).toEqual([]);
  await settled();
});

test("a sign-up that was accepted before its package was retired continues", async () => {
  const { post, rows, settled } = apiInProcess();
  await post({}, { "idempotency-key": "the-key" });
  rows(RETIRED, STANDARD);
  expect(await post({}, { "idempotency-key": "the-key" })).toHaveStatus(200);
  await settled();
});

test("a sign-up whose package was retired gets no lower price, and keeps its own", async () => {
  const { post, rows, settled } = apiInProcess();
  await post({}, { "idempotency-key": "the-key" });
  rows("UPDATE packages SET status = 'retired', price_cents = 40000 WHERE id = ?", STANDARD);
  expect(await post({}, { "idempotency-key": "the-key", [SHOWN_PRICE_HEADER]: "40000" })).toBeProblem(
    422,
    PLAN_RETIRED,
  );
  expect(rows("SELECT price_cents FROM sign_ups")).toEqual([{ price_cents: 50_000 }]);
  await settled();
});
