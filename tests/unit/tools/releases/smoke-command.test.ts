import { expect, test } from "vitest";
import { formFields, INVALID_EMAIL } from "../../../../app/contract/fields/form-fields";
import { monthlyPrice } from "../../../../app/contract/money";
import { PUBLIC_PATHS } from "../../../../app/seo/public-paths";
import type { Neighbors } from "../../../../tools/neighbors";
import { PACKAGES } from "../../../../tools/releases/prices";
import { smoke } from "../../../../tools/releases/smoke";
import { type Answer, HOST, hostsOf, neighborsWith, OPERATOR, REPRICED, SOLD, siteAlone, timeIsUp } from "../neighbors";
import { outcomeOf } from "../outcome";

/* `npm run smoke`: which answers of the site, the API and Stripe are right, and what its last line says. */

const [FIRST] = PACKAGES;
const HEALTH = { release: "a-release", commit: "0123456789ab" };
const FORM = `<h1>${Object.keys(formFields)
  .map((name) => `<input name="${name}">`)
  .join("")}<script src="/build/a.js"></script><script src="/build/b.js"></script>`;
const COOKIE = "__Host-form=0123456789abcdefghijkl; Path=/";

/** The right site, in which some paths answer otherwise. */
const site =
  (others: Record<string, Answer> = {}): Answer =>
  (path, init) => {
    const key = `${init.method ?? "GET"} ${path.startsWith("/subscription/") ? "/subscription/" : path}`;
    const other = others[key];
    if (other) return other(path, init);
    if (path === "/health") return Response.json(HEALTH);
    if (init.method === "POST") return new Response(INVALID_EMAIL, { status: 422 });
    const plan = PACKAGES.find(({ id }) => path.endsWith(id));
    return plan ? withCookie(`${FORM}Then ${monthlyPrice(plan.price_cents)}`) : new Response("<h1>A page</h1>");
  };
const withCookie = (text: string, cookie = COOKIE) => new Response(text, { headers: { "set-cookie": cookie } });
const status = (code: number) => () => new Response("", { status: code });
const api: Answer = (path) =>
  path === "/health" ? Response.json(HEALTH) : status(path === "/subscription" ? 422 : 400)();

type Setup = { hosts?: Record<string, Answer>; others?: Partial<Neighbors> };
/** The API answers otherwise at a path. */
const apiAt = (path: string, answer: Answer): Setup => ({
  hosts: { "api.acme.com": (asked, init) => (asked === path ? answer : api)(asked, init) },
});
const withToken = (prices: unknown): Setup => ({
  ...apiAt("/operator/prices", () => Response.json({ prices })),
  others: { env: OPERATOR },
});
function smoked({ hosts = {}, others = {} }: Setup) {
  const all = { "www.acme.com": site(), "api.acme.com": api, "api.stripe.com": status(404), ...hosts };
  return outcomeOf(() => smoke("production", neighborsWith({ fetch: hostsOf(all), ...others })));
}

const SEEN = [
  `✓ pages: ${PUBLIC_PATHS.join(" ")}`,
  "✓ site: release a-release, commit 0123456789ab",
  "✓ form: its fields, cookie and 2 scripts; an incomplete form came back with its errors",
  "✓ subscription API: release a-release, commit 0123456789ab",
  "✓ refusals: an empty sign-up and an unsigned webhook were refused",
  "✓ Stripe key: Stripe knows the publishable key",
];
const WORKS = "Everything works in production.";

test("a deployment in which everything is right works, and each check says what it saw", async () => {
  const target = "production: https://www.acme.com";
  const notAsked = "Not checked: prices (the variable OPERATOR_TOKEN is not set).";
  expect(await smoked({})).toMatchObject({ exitCode: 0, lines: [target, ...SEEN, notAsked, WORKS] });
  const prices = "✓ prices: the form of each plan has the API's price";
  expect(await smoked(withToken(SOLD))).toMatchObject({ exitCode: 0, lines: [target, ...SEEN, prices, WORKS] });
});

const page = (path: string, answer: Answer): Setup => ({ hosts: { "www.acme.com": site({ [path]: answer }) } });
const form = (text: string, cookie?: string) => page("GET /subscription/", () => withCookie(text, cookie));
const SENT = "POST /subscription/";
const TOO_SLOW = "cannot be reached: too slow";
const CUSTOM = SOLD.map((one) => ({ ...one, status: "custom" }));

test.each<Setup & { failed: string; says: string }>([
  { hosts: { "www.acme.com": HOST.silent }, failed: "pages, site, form", says: "cannot be reached: getaddrinfo" },
  { hosts: { "api.acme.com": HOST.slow }, failed: "subscription API, refusals", says: TOO_SLOW },
  { hosts: { "api.stripe.com": HOST.challenging }, failed: "Stripe key", says: "(cf-mitigated: challenge): see" },
  { ...page("GET /pricing", status(200)), failed: "pages", says: "✗ pages: /pricing has no heading" },
  { ...page("GET /health", status(200)), failed: "site", says: "/health answered nothing: is another program there?" },
  { ...form(FORM.replace("password", "x")), failed: "form", says: "the form has no password" },
  { ...form(FORM, "__Host-form=short; Path=/"), failed: "form", says: "the form sets no cookie" },
  { ...form(FORM.replaceAll(".js", "")), failed: "form", says: "the form's page names no script" },
  { ...page("GET /build/b.js", status(404)), failed: "form", says: "/build/b.js was answered 404: nothing" },
  { ...page(SENT, status(400)), failed: "form", says: "a form with errors was answered 400, not 422" },
  { ...page(SENT, status(422)), failed: "form", says: "the answer does not say what is wrong" },
  { ...apiAt("/subscription", status(200)), failed: "refusals", says: "post to /subscription was answered 200" },
  { ...apiAt("/webhooks/stripe", status(500)), failed: "refusals", says: "post to /webhooks/stripe was answered 500" },
  { ...withToken(CUSTOM), failed: "prices", says: `✗ prices: ${FIRST?.name} is custom in the API, not listed` },
  { ...withToken(REPRICED), failed: "prices", says: `the API sells ${FIRST?.name} for $999 a month` },
  { hosts: { "api.stripe.com": status(401) }, failed: "Stripe key", says: "✗ Stripe key: Stripe answered 401" },
])("a deployment is not right in $failed, and the output says: $says", async ({ failed, says, ...setup }) => {
  if (says === TOO_SLOW) timeIsUp();
  const [last, output] = [`Not right in production: ${failed}.`, expect.stringContaining(says)];
  expect(await smoked(setup)).toMatchObject({ exitCode: 1, last, output });
});

test.each<{ what: string; answer: Answer; exitCode: number; last: string }>([
  { what: "refuses", answer: () => Response.json({}, { status: 422 }), exitCode: 0, last: WORKS },
  { what: "challenges", answer: HOST.challenging, exitCode: 1, last: "Not right in production: subscription API." },
])("the site alone before an API that $what an empty form ends with: $last", async ({ answer, exitCode, last }) => {
  const ended = await smoked({ hosts: { "api.acme.com": answer }, others: { settingsOf: siteAlone } });
  expect(ended).toMatchObject({ exitCode, last });
  expect(ended.output, "prices, which the reference API alone has").not.toContain("Not checked");
});
