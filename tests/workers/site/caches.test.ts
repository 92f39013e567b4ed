import { afterAll, describe, expect, test } from "vitest";
import { fields } from "../../support/person";
import { type Answer, siteVisitor } from "../../support/visitors/site-visitor";
import { ORIGIN } from "../../support/workers/workers";
import { startDeployedSite } from "./deployed-site";

/* Pages from the built Worker's memory. */

const site = await startDeployedSite();
afterAll(() => site.dispose());
const visitor = siteVisitor(site, ORIGIN);

const HTML = {};
const MARKDOWN = { Accept: "text/markdown" };
const OTHER_VISITOR = { Cookie: "other=1", "User-Agent": "another" };

/** An answer without what belongs to one request or visitor. */
function shared({ status, headers, body }: Answer) {
  const own = ["x-request-id", "date", "set-cookie"];
  return { status, body, headers: Object.fromEntries([...headers].filter(([name]) => !own.includes(name))) };
}

/** The events that a request has logged, once its own line is there. */
async function eventsOf({ headers }: Answer) {
  const id = headers.get("X-Request-Id");
  const events = () => site.logs.filter(({ request_id }) => request_id === id).map(({ event }) => event);
  await expect.poll(events).toContain("request");
  return events();
}

describe.each([
  "/",
  "/pricing",
  "/privacy",
  "/terms",
  "/security",
  "/subscription",
  `/subscription/${fields.package_id}`,
  "/nothing",
  "/pricing.md",
  "/robots.txt",
  "/sitemap.xml",
  "/llms.txt",
  "/.well-known/security.txt",
])("the second answer to %s", (path) => {
  test.each([
    { format: "HTML", accept: HTML },
    { format: "Markdown", accept: MARKDOWN },
  ])("equals the first and is not rendered again, for a client that wants $format", async ({ accept }) => {
    const first = await visitor.get(path, accept);
    const second = await visitor.get(path, { ...accept, ...OTHER_VISITOR });
    expect(shared(second)).toEqual(shared(first));
    expect(await eventsOf(second)).toEqual(["request"]);
  });
});
