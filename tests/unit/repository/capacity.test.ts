import { describe, expect, test } from "vitest";
import { type Capacity, costOf, tableOfLimits, tableOfPrices } from "../../capacity/document";
import { PRICES } from "../../capacity/published";

const nothing = { cpu: 0, statements: 0, rowsRead: 0, rowsWritten: 0, subrequests: 0, logLines: 0 };

/** A service that costs nothing but what a test says. */
function capacityWith({ page = nothing, signUp = nothing, bytes = 1000 }): Capacity {
  const api = { status: 1, "card set up": 1, "trial ending": 1, "other webhook": 3, "idle cron run": 1 };
  const free = Object.fromEntries(Object.keys(api).map((action) => [action, nothing]));
  return {
    site: { page, form: nothing, "refused form": nothing, "sign-up": nothing, "card step": nothing },
    api: {
      costs: { ...(free as Record<keyof typeof api, typeof nothing>), "sign-up": signUp },
      times: { ...api, "sign-up": 1 },
      bytes,
    },
    formsPerMinute: 60,
  };
}

describe("the capacity document", () => {
  test("Cloudflare's own example: 15 million requests of 7 ms cost 1.50 dollars each for requests and CPU", () => {
    expect(costOf(PRICES.requests, 15e6)).toBeCloseTo(1.5);
    expect(costOf(PRICES.cpu, 15e6 * 7)).toBeCloseTo(1.5);
    expect(costOf(PRICES.requests, 9e6)).toBe(0);
  });

  test("a line of log for each of two pages of a million visits a day is 60 million lines a month", () => {
    const bill = tableOfPrices(capacityWith({ page: { ...nothing, logLines: 1 } }));
    expect(bill).toMatch(/\| \[Lines of log\]\(\S+\) \| 60 million \| 20 million \| \$24\.00 \|/);
  });

  test("the limit that is met first stands above: D1, where one sign-up takes 10,000 statements", () => {
    const limits = tableOfLimits(capacityWith({ signUp: { ...nothing, statements: 10_000, logLines: 1 } })).split("\n");
    expect(limits[2]).toMatch(/^\| D1: one statement at a time.*\| 0\.1 a second, 8,640 a day \|$/);
  });

  test("a database of 10 GB holds ten million subscriptions of a kilobyte", () => {
    expect(tableOfLimits(capacityWith({}))).toMatch(/10 million subscriptions: 1,000 days of 10,000/);
  });
});
