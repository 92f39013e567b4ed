import { expect, test } from "vitest";
import { type Answer, apiThat, fails, fakeTimers, hangs, says } from "./called-api";

/* Calls to the subscription API about a plan that is not on the price list. */

fakeTimers();

const AVAILABLE = { status: "available", price_cents: 77_700, currency: "usd" };

test("a plan is asked for by its ID", async () => {
  const { calls, outcome } = await apiThat([says(AVAILABLE)]).askForPackage();
  expect(calls).toMatchObject([{ url: "https://api.example/v1/subscription/packages/an%20id" }]);
  expect(outcome).toEqual(AVAILABLE);
});

test("an API without this route says nothing about a plan, which is no failure", async () => {
  const answer = says({ title: "Not found" }, 404);
  expect(await apiThat([answer]).askForPackage()).toMatchObject({ outcome: undefined, logged: [] });
});

test.each<{ name: string; answer: Answer; cause: string }>([
  { name: "another currency", answer: says({ ...AVAILABLE, currency: "eur" }), cause: "answer" },
  { name: "an unknown status", answer: says({ status: "sold out" }), cause: "answer" },
  { name: "no connection", answer: fails, cause: "connection" },
])("a plan has no known price after $name, which is logged", async ({ answer, cause }) => {
  const { outcome, logged } = await apiThat([answer]).askForPackage();
  expect(outcome).toBeUndefined();
  expect(logged).toMatchObject([{ event: "package_check_failed", cause }]);
});

test("a plan has no known price if the API does not answer within two seconds", async () => {
  expect(await apiThat([hangs]).askForPackage()).toMatchObject({ outcome: undefined, endedAt: 2_000 });
});
