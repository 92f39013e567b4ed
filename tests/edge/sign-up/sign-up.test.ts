import { afterAll, beforeAll, expect, test } from "vitest";
import { fields, resumeLinkIn, SECRET, type SiteVisitor, siteVisitor } from "../../support/site-visitor";
import { startUpstream, type Upstream } from "../../support/upstream";
import { type RunningWorker, startSite } from "../../support/workers";

/* The sign-up when nothing goes wrong; the other files here have what must not break. */

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.answersJson(200, { client_secret: SECRET });
  site = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url } });
  visitor = siteVisitor(site);
});

afterAll(async () => {
  await site.dispose();
  upstream.dispose();
});

test("the form has its heading, and the header and the footer of the site", async () => {
  const { status, text } = await visitor.get("/subscription");
  expect(status).toBe(200);
  expect(text).toContain("Complete Your Subscription");
  expect(text).toContain("Customer Console");
  expect(text).toContain(`© ${new Date().getUTCFullYear()}`);
});

test("a package id that is no UUID is said where the visitor sees it", async () => {
  expect((await visitor.get("/subscription/mini")).text).toContain("Invalid subscription ID");
  const { status, text } = await visitor.submit({ package_id: "mini" });
  expect(status).toBe(422);
  expect(text).toContain("Invalid subscription ID");
});

test("a package that came in the query is still chosen when the form comes back", async () => {
  expect((await visitor.get(`/subscription?uuid=${fields.package_id}`)).text).toContain("STANDARD");
  const { text } = await visitor.submit({ email: "nobody" });
  expect(text).toContain(`name="package_id" id="signup-package_id" value="${fields.package_id}"`);
  expect(text).toContain("STANDARD");
});

test("the API gets e-mail and phone in their plain form, and no package id where there is none", async () => {
  upstream.answersJson(200, { client_secret: SECRET });
  const { confirmPassword: _, package_id: __, ...contract } = fields;
  const { status, headers } = await visitor.submit({ package_id: "" });
  expect([status, headers.get("Location")]).toEqual([303, "/subscription"]);
  expect(JSON.parse(upstream.calls[0]?.body ?? "")).toEqual({
    ...contract,
    email: "ada@example.com",
    phone: "2125550123",
  });
});

test("the card step without JavaScript says what it needs, and has a link to go on with elsewhere", async () => {
  const { cookie: Cookie } = await visitor.submit();
  const cardStep = await visitor.get("/subscription", { Cookie });
  expect(cardStep.text).toContain("Entering a card needs JavaScript");
  expect(cardStep.text).toContain("QR code");
  const link = resumeLinkIn(cardStep);
  expect(link.origin + link.pathname).toBe(`${site.url}/subscription`);
  expect(link.href).not.toContain("seti_");
});

test("without a publishable key the card step says so", async () => {
  const keyless = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url, STRIPE_PUBLISHABLE_KEY: undefined } });
  const stuck = siteVisitor(keyless);
  const { cookie: Cookie } = await stuck.submit();
  expect((await stuck.get("/subscription", { Cookie })).text).toContain("Configuration Error");
  await keyless.dispose();
});
