import { expect, test } from "vitest";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { startSite } from "../../support/workers/workers";

/* What the site says about itself: its release, and what is wrong with its settings. */

test("health gives the release and its commit", async () => {
  const site = await startSite();
  const { status, body } = await siteVisitor(site).get("/health");
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ status: "ok", release: expect.stringMatching(/.+/), commit: "unknown" });
  await site.dispose();
});

test("health names the settings that are missing or wrong, and pages say that the service is unavailable [C10]", async () => {
  const vars = { SESSION_SECRET: undefined, SALES_EMAIL: "nobody", SUBSCRIPTION_API_URL: "http://u:p@localhost" };
  const site = await startSite({ vars });
  const visitor = siteVisitor(site);
  const { status, body } = await visitor.get("/health");
  expect(status).toBe(503);
  const { problems }: { problems: { name: string }[] } = JSON.parse(body);
  expect(problems.map(({ name }) => name).sort()).toEqual(["SALES_EMAIL", "SESSION_SECRET", "SUBSCRIPTION_API_URL"]);
  expect(body).not.toContain("u:p");
  for (const answer of [await visitor.get("/"), await visitor.submit(), await visitor.post("[]", {}, "/csp-reports")]) {
    expect(answer.status).toBe(503);
    expect(answer.text).toContain("Service temporarily unavailable. Please try again later.");
    expect(answer.text).toContain(`Request id: ${answer.headers.get("X-Request-Id")}`);
  }
  await site.dispose();
});
