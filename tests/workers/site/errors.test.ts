import { afterAll, describe, expect, test } from "vitest";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { ORIGIN, SOON } from "../../support/workers/workers";
import { startDeployedSite, THROWING } from "./deployed-site";

/* An error in the built Worker: what the visitor sees, and what is logged. */

const site = await startDeployedSite({ wrapper: THROWING });
afterAll(() => site.dispose());
const visitor = siteVisitor(site, ORIGIN);

describe.each([
  { what: "a form", send: (ray = "") => visitor.submit({}, { "CF-Ray": ray }) },
  { what: "a script's form", send: (ray = "") => visitor.submit({}, { "CF-Ray": ray }, "/subscription.data") },
  { what: "a public page", send: (ray = "") => visitor.get("/pricing", { "CF-Ray": ray }) },
])("an error of $what", ({ what, send }) => {
  test("shows neither its message nor a stack", async () => {
    const { body } = await send();
    expect(body).not.toContain("words-of-the-error");
    expect(body).not.toMatch(/\.js:\d|\bat \w+ \(/);
  });

  test("is logged by its name alone", async () => {
    const ray = `error-of-${what.replace(/\W/g, "-")}`;
    await send(ray);
    const lines = () => site.logs.filter(({ request_id }) => request_id === ray);
    await expect.poll(lines, SOON).toContainEqual(expect.objectContaining({ event: "unexpected", error: "Error" }));
    expect(JSON.stringify(lines())).not.toMatch(/words-of-the-error|S3ntinel/);
  });
});

test("an error of a form gives a page with the request ID", async () => {
  const { text } = await visitor.submit({}, { "CF-Ray": "id-of-this-request" });
  expect(text).toContain("Unexpected Application Error");
  expect(text).toContain("id-of-this-request");
});
