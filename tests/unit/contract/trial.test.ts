import { expect, test } from "vitest";
import { counted } from "../../../app/contract/counted";
import { MAX_FAILED_CARDS, REMINDER_DAYS, TRIAL_DAYS } from "../../../app/contract/trial";

/* The numbers themselves. All other unit tests take them from the contract. */

test("a trial has five days, is reminded of two days before its end, and the fifth failed card ends its sign-up", () => {
  const numbers = { TRIAL_DAYS: 5, REMINDER_DAYS: 2, MAX_FAILED_CARDS: 5 };
  expect({ TRIAL_DAYS, REMINDER_DAYS, MAX_FAILED_CARDS }).toEqual(numbers);
  expect([0, 1, 2].map((days) => counted(days, "day"))).toEqual(["0 days", "1 day", "2 days"]);
});
