import { JSDOM } from "jsdom";
import { beforeAll, expect, test } from "vitest";
import { openPage } from "../../support/visitors/page";
import { fields, resumeLinkIn, SECRET, type SiteVisitor, siteVisitor } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import type { Upstream } from "../../support/workers/upstream";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/* The sign-up when nothing goes wrong; the other files here have what must not break. */

let upstream: Upstream;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  const started = await startVisitedSite();
  ({ upstream, site, visitor } = started);
  upstream.answersJson(200, { client_secret: SECRET });
  return started.dispose;
});

/** Label and name of each field, in the order of the page. */
const sections = {
  "Contact Information": [
    ["Contact Name", "full_name"],
    ["Company Name", "company_name"],
    ["Email Address", "email"],
    ["Phone Number", "phone"],
    ["Password", "password"],
    ["Confirm Password", "confirmPassword"],
  ],
  "Billing Address": [
    ["Street Address", "address"],
    ["City", "city"],
    ["State/Province", "state"],
    ["ZIP Code", "zipCode"],
    ["Country", "country"],
  ],
} as const;

test("the page has its heading and intro, and a card with its title and text [S1]", async () => {
  const { words } = await openPage(visitor, "/subscription");
  expect(words("h1")).toBe("Complete Your Subscription");
  expect(words("h1 + p")).toMatch(/^Join thousands of businesses/);
  const card = ".card[aria-labelledby=subscription-information]";
  expect(words(`${card} > h2`)).toBe("Subscription Information");
  expect(words(`${card} > h2 + p`)).toBe(
    "Complete your subscription by providing your contact and billing information.",
  );
});

test("the form has two sections, with all fields labelled and empty [S2]", async () => {
  const { document } = await openPage(visitor, "/subscription");
  const shown = [...document.querySelectorAll("fieldset")].map((fieldset) => [
    fieldset.querySelector("legend")?.textContent,
    [...fieldset.querySelectorAll("label")].map((label) => [label.textContent, label.control?.getAttribute("name")]),
  ]);
  expect(shown).toEqual(Object.entries(sections));
  const inputs = [...document.querySelectorAll<HTMLInputElement>("fieldset input")];
  expect(inputs.map(({ value }) => value)).toEqual(inputs.map(() => ""));
});

test("both passwords are masked, and left to password managers and pasting [S2]", async () => {
  const { document } = await openPage(visitor, "/subscription");
  for (const name of ["password", "confirmPassword"]) {
    const field = document.querySelector(`input[name=${name}]`);
    expect(field?.getAttribute("type")).toBe("password");
    expect(field?.getAttribute("autocomplete")).toBe("new-password");
    for (const hindrance of ["maxlength", "readonly", "onpaste"]) expect(field?.hasAttribute(hindrance)).toBe(false);
  }
});

test("each message stands under its field [V1]", async () => {
  const { status, body } = await visitor.post("password=short&confirmPassword=x");
  expect(status).toBe(422);
  const { document } = new JSDOM(body).window;
  for (const [label, name] of Object.values(sections).flat()) {
    const field = document.querySelector(`.field:has([name=${name}])`);
    const message = field?.lastElementChild;
    expect(message?.textContent, label).toMatch(/must be|is required|Please enter|do not match/);
    expect(field?.querySelector("input")?.getAttribute("aria-describedby")?.split(" ")).toContain(message?.id);
  }
});

test("a package id that is no UUID is said where the visitor sees it [V2]", async () => {
  expect((await visitor.get("/subscription/mini")).text).toContain("Invalid subscription ID");
  const { status, text } = await visitor.submit({ package_id: "mini" });
  expect(status).toBe(422);
  expect(text).toContain("Invalid subscription ID");
});

const hiddenField = `name="package_id" id="signup-package_id" value="${fields.package_id}"`;

test("the package of the path or the query stands in the form, and still when it comes back [S3]", async () => {
  for (const path of [
    `/${fields.package_id}?id=other`,
    ...["id", "uuid", "package_id"].map((name) => `?${name}=${fields.package_id}`),
  ]) {
    expect((await visitor.get(`/subscription${path}`)).text).toContain(hiddenField);
  }
  expect((await visitor.get(`/subscription?uuid=${fields.package_id}`)).text).toContain("STANDARD");
  const { text } = await visitor.submit({ email: "nobody" });
  expect(text).toContain(hiddenField);
  expect(text).toContain("STANDARD");
});

test("the API gets e-mail and phone in their plain form, and no package id where there is none [S3] [N1]", async () => {
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
  const link = resumeLinkIn(cardStep);
  expect(link.origin + link.pathname).toBe(`${site.url}/subscription/${fields.package_id}`);
  expect(link.href).not.toContain("seti_");
});

test("without a publishable key no card can be entered, and the card step says so [N5]", async () => {
  const keyless = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url, STRIPE_PUBLISHABLE_KEY: undefined } });
  const stuck = siteVisitor(keyless);
  const { cookie: Cookie } = await stuck.submit();
  const { document, words } = await openPage(stuck, "/subscription", { Cookie });
  expect(words("[role=alert]")).toContain("Configuration Error");
  expect([...document.querySelectorAll("main button")].map(({ textContent }) => textContent)).toEqual([
    "Edit details",
    "Keep it for two more hours",
    "Start over",
  ]);
  await keyless.dispose();
});

test("the provider's script comes from the provider where no other is set [N6]", async () => {
  const deployed = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url, STRIPE_JS_URL: undefined } });
  const guest = siteVisitor(deployed);
  const { cookie: Cookie } = await guest.submit();
  expect((await guest.get("/subscription", { Cookie })).body).toContain("https://js.stripe.com/");
  await deployed.dispose();
});

test.each([
  [undefined, "http://localhost:8788/subscription"],
  ["http://localhost:9/v1/", "http://localhost:9/v1/subscription"],
])("the API base %s leads the form to %s [N4]", async (base, url) => {
  const called: string[] = [];
  const outboundService = (request: { method: string; url: string }) => {
    called.push(`${request.method} ${request.url}`);
    return new Response(JSON.stringify({ client_secret: SECRET }));
  };
  const based = await startSite({ vars: { SUBSCRIPTION_API_URL: base }, miniflare: { outboundService } });
  expect((await siteVisitor(based).submit()).status).toBe(303);
  expect(called).toEqual([`POST ${url}`]);
  await based.dispose();
});
