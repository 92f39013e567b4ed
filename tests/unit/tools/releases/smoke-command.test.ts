import { expect, test } from "vitest";
import { formFields, INVALID_EMAIL } from "../../../../app/contract/fields/form-fields";
import type { Neighbors } from "../../../../tools/neighbors";
import { smoke } from "../../../../tools/releases/smoke";
import { type Answer, HOST, hostsOf, neighborsWith, siteAlone, timeIsUp } from "../neighbors";
import { outcomeOf } from "../outcome";

/* `npm run smoke`: which answers of the site, the API and Stripe are right, and what its last line says. */

const HEALTH = { release: "a-release", commit: "0123456789ab" };
const FORM = `<h1>${Object.keys(formFields)
  .map((name) => `<input name="${name}">`)
  .join("")}<script src="/build/a.js"></script><script src="/build/b.js"></script>`;
const COOKIE = { "set-cookie": "__Host-form=0123456789abcdefghijkl; Path=/" };

/** The right site, in which some paths answer otherwise. */
const site =
  (others: Record<string, Answer> = {}): Answer =>
  (path, init) => {
    const key = `${init.method ?? "GET"} ${path.startsWith("/subscription/") ? "/subscription/" : path}`;
    const other = others[key];
    if (other) return other(path, init);
    if (path === "/health") return Response.json(HEALTH);
    if (init.method === "POST") return new Response(INVALID_EMAIL, { status: 422 });
    if (path.startsWith("/subscription/")) return new Response(FORM, { headers: COOKIE });
    return new Response("<h1>A page</h1>");
  };
const api: Answer = (path) =>
  path === "/health"
    ? Response.json(HEALTH)
    : new Response("No.", { status: path.startsWith("/webhooks") ? 400 : 422 });
const stripe: Answer = () => Response.json({ error: {} }, { status: 404 });

type Setup = { hosts?: Record<string, Answer>; others?: Partial<Neighbors> };
function smoked({ hosts = {}, others = {} }: Setup) {
  const all = { "www.acme.com": site(), "api.acme.com": api, "api.stripe.com": stripe, ...hosts };
  return outcomeOf(() => smoke("production", neighborsWith({ fetch: hostsOf(all), ...others })));
}

test("a deployment in which everything is right works, and each check says what it saw", async () => {
  const { exitCode, last, lines } = await smoked({});
  expect({ exitCode, last }).toEqual({ exitCode: 0, last: "Everything works in production." });
  expect(lines.slice(1, -1).map((line) => line.replace(/:.*/, ""))).toEqual([
    "✓ pages",
    "✓ site",
    "✓ form",
    "✓ subscription API",
    "✓ refusals",
    "✓ Stripe key",
  ]);
});

const page = (path: string, answer: Answer): Setup => ({ hosts: { "www.acme.com": site({ [path]: answer }) } });
const status =
  (code: number): Answer =>
  () =>
    new Response("", { status: code });
const text =
  (content: string): Answer =>
  () =>
    new Response(content, { headers: COOKIE });
const HOSTS = {
  "www.acme.com": "pages, site, form",
  "api.acme.com": "subscription API, refusals",
  "api.stripe.com": "Stripe key",
};
const KINDS = { silent: /ENOTFOUND/, slow: /too slow/, html: /✗/, failing: /500/ };

test.each<Setup & { what: string; failed: string; says: RegExp }>([
  ...Object.entries(HOSTS).flatMap(([host, failed]) =>
    Object.entries(KINDS).map(([kind, says]) => ({
      ...{ what: `${host} is ${kind}`, hosts: { [host]: HOST[kind] as Answer }, failed, says },
    })),
  ),
  {
    what: "a page has no heading",
    ...page("GET /pricing", text("")),
    failed: "pages",
    says: /\/pricing has no heading/,
  },
  {
    what: "a page is missing",
    ...page("GET /pricing", status(404)),
    failed: "pages",
    says: /\/pricing was answered 404/,
  },
  {
    what: "/health is another program's",
    ...page("GET /health", () => Response.json({})),
    failed: "site",
    says: /is another program there\?/,
  },
  {
    what: "/health says 503",
    ...page("GET /health", status(503)),
    failed: "site",
    says: /✗ site: \/health was answered 503/,
  },
  {
    what: "the form lacks a field",
    ...page("GET /subscription/", text(FORM.replace("password", "x"))),
    failed: "form",
    says: /the form has no password/,
  },
  {
    what: "the form sets no cookie",
    ...page("GET /subscription/", () => new Response(FORM)),
    failed: "form",
    says: /sets no cookie/,
  },
  {
    what: "the form has no script",
    ...page("GET /subscription/", text(FORM.replaceAll(".js", ""))),
    failed: "form",
    says: /names no script/,
  },
  {
    what: "a script is missing",
    ...page("GET /build/b.js", status(404)),
    failed: "form",
    says: /\/build\/b\.js was answered 404/,
  },
  {
    what: "a wrong form is taken",
    ...page("POST /subscription/", status(303)),
    failed: "form",
    says: /was answered 303, not 422/,
  },
  {
    what: "a wrong form comes back without a reason",
    ...page("POST /subscription/", status(422)),
    failed: "form",
    says: /does not say what is wrong/,
  },
  {
    what: "the API takes an empty sign-up",
    hosts: {
      "api.acme.com": (path) =>
        path === "/subscription"
          ? Response.json({})
          : Response.json(HEALTH, { status: path === "/health" ? 200 : 400 }),
    },
    failed: "refusals",
    says: /an empty post to \/subscription was answered 200/,
  },
  {
    what: "Stripe does not know the key",
    hosts: { "api.stripe.com": status(401) },
    failed: "Stripe key",
    says: /Stripe answered 401/,
  },
])("a deployment in which $what fails, and the last line names the checks", async ({ failed, says, ...setup }) => {
  if (setup.what.endsWith("slow")) timeIsUp();
  const { exitCode, last, output } = await smoked(setup);
  expect({ exitCode, last }).toEqual({ exitCode: 1, last: `Not right in production: ${failed}.` });
  expect(output).toMatch(says);
});

test("the site alone needs an API that refuses an empty form as JSON, and no /health of it", async () => {
  const others = { settingsOf: siteAlone };
  const refusing: Answer = () => Response.json({ errors: {} }, { status: 422 });
  const right = await smoked({ hosts: { "api.acme.com": refusing }, others });
  expect({ exitCode: right.exitCode, last: right.last }).toEqual({
    exitCode: 0,
    last: "Everything works in production.",
  });
  const wrong = await smoked({ hosts: { "api.acme.com": status(200) }, others });
  expect({ exitCode: wrong.exitCode, last: wrong.last }).toEqual({
    exitCode: 1,
    last: "Not right in production: subscription API.",
  });
});
