import { afterEach, expect, test, vi } from "vitest";
import { apiInProcess } from "../../../support/api-in-process/api";
import { times, validRequest } from "../../../support/visitors/visitor";

afterEach(() => {
  vi.useRealTimers();
});

test("sign-ups of a day are counted exactly, however many come at once; the others are told to come back tomorrow [H3]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-22T22:00:00Z") });
  const { ask, rows } = apiInProcess({ settings: { SIGN_UPS_PER_EMAIL_A_DAY: "3" } });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(validRequest);
  const post = (sender: string) =>
    ask("/subscription", { method: "POST", headers: { ...headers, "subscription-sender": sender }, body }, "site");
  const answers = await times(20, (index) => post(`192.0.2.${index}`));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(17).fill(429)]);
  expect(rows("SELECT id FROM sign_ups")).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toBe("7200");
  expect(await refused?.json()).toMatchObject({
    title: "Too many sign-ups today",
    detail: "Try again tomorrow, after midnight UTC.",
  });
});
