import { expect, test } from "vitest";
import { filledIn, filledInCompany } from "../../support/filled-in-settings";
import { checkOut } from "./checkout";

/* The values that the README says to edit, each with another one, under the unit tests of everything that shows or counts them. */

const EDITS: [file: string, from: string, to: string][] = [
  ["app/company.ts", 'name = "Citewell"', 'name = "Acme"'],
  ["app/company.ts", "support@citewell.example", "help@acme.example"],
  ["app/company.ts", "Wilmington, Delaware 19801", "Boston, Massachusetts 02110"],
  ["app/contract/plans.ts", "priceCents: 10_000", "priceCents: 9_950"],
  ["app/contract/plans.ts", "priceCents: 50_000", "priceCents: 60_000"],
  ["app/contract/trial.ts", "TRIAL_DAYS = 5;", "TRIAL_DAYS = 14;"],
  ["app/contract/trial.ts", "REMINDER_DAYS = 2;", "REMINDER_DAYS = 1;"],
  ["app/contract/trial.ts", "MAX_FAILED_CARDS = 5;", "MAX_FAILED_CARDS = 3;"],
  ["app/signup/durations.ts", "LINK_MINUTES = 30;", "LINK_MINUTES = 45;"],
  ["app/signup/durations.ts", "REFRESH_SECONDS = 10;", "REFRESH_SECONDS = 15;"],
  ["app/signup/durations.ts", "LOADING_LIMIT_MS = 15_000;", "LOADING_LIMIT_MS = 20_000;"],
];

/** Folders, so that a new or renamed test is not left out. Only `contract/trial` repeats the numbers that the README says to edit. */
const UNIT_TESTS = [
  ...["contract", "pricing", "sign-up", "api", "tools/releases", "tools/preflight"].map(
    (name) => `tests/unit/${name}/`,
  ),
  "--exclude=tests/unit/contract/trial.test.ts",
];

test("with another value in each place that the README names, the unit tests pass", async () => {
  const { npm, change, dispose } = await checkOut();
  try {
    for (const [file, from, to] of EDITS)
      await change(file, (text) => {
        expect(text, `${file} has the value to edit`).toContain(from);
        return text.replaceAll(from, to);
      });
    for (const file of ["wrangler.toml", "functions/subscription-api/wrangler.toml"]) await change(file, filledIn);
    await change("app/company.ts", filledInCompany);
    const { output, exitCode } = await npm(["exec", "--", "vitest", "run", "--project", "unit", ...UNIT_TESTS]);
    const failed = output.split("\n").filter((line) => line.includes("FAIL"));
    expect({ failed, exitCode }, output.slice(-2_000)).toEqual({ failed: [], exitCode: 0 });
  } finally {
    await dispose();
  }
});
