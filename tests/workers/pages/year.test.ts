import { afterAll, expect, test } from "vitest";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* What is kept in memory is kept for its year: the one thing on a page that changes without a release is in its footer. */

/** Puts the site's clock ahead by the milliseconds that a request names. */
const CLOCK = /* js */ `
import site from "./worker.js";

const RealDate = Date;
let ahead = 0;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + ahead] : given));
  }
  static now() {
    return RealDate.now() + ahead;
  }
};
export default {
  fetch(request, env, context) {
    ahead = Number(request.headers.get("clock-ahead"));
    return site.fetch(request, env, context);
  },
};
`;

const { visitor, dispose } = await startVisitedSite({ wrapper: { script: CLOCK } });
afterAll(dispose);

const THIS_YEAR = new Date().getUTCFullYear();
const aheadOf = (year: number) => ({ "clock-ahead": String(Date.UTC(year, 5) - Date.now()) });

test.each([
  ["a public page", "GET", "/pricing"],
  ["the empty form", "GET", "/subscription"],
  ["the form of a plan", "GET", "/subscription/c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430"],
  ["a refusal", "DELETE", "/pricing"],
])("%s has the year of the request [D8]", async (_, method, path) => {
  for (const year of [THIS_YEAR + 1, THIS_YEAR + 2, THIS_YEAR + 1]) {
    const { text } = await visitor.send(method, path, aheadOf(year));
    expect(text).toContain(`© ${year}`);
  }
});
