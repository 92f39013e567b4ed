import { expect, test, vi } from "vitest";
import { problemOfApi } from "../../../../tools/preflight/api-of-others";
import { checkDeployment } from "../../../../tools/preflight/checks";
import { SECRETS } from "../../../support/filled-in-settings";
import { deployment } from "../filled-in-deployment";
import { hostsOf } from "../neighbors";

/* A site that is deployed alone, in front of an API that somebody else runs. */

const URL = "https://api.other.com";

test.each([
  { what: "a live key", from: "", to: "", says: [] },
  {
    what: "a test key",
    from: /pk_live_\w+/,
    to: "pk_test_0123456789abcdef",
    says: [expect.stringContaining("site: STRIPE_PUBLISHABLE_KEY must be a live key")],
  },
])("the preflight of a site alone with $what asks nothing about the reference API", ({ from, to, says }) => {
  const { site, other, ...rest } = deployment(from, to);
  const vars = { ...site.vars, SUBSCRIPTION_API_URL: URL, SUBSCRIPTION_API_IDEMPOTENT: "false" };
  const alone = { site: { ...site, services: [], vars }, api: undefined };
  const account = { secrets: { site: SECRETS.site } };
  expect(checkDeployment({ ...rest, ...alone, other: { ...other, api: undefined }, account })).toEqual(says);
});

const json = (status: number, type = "application/json", body = "{}") =>
  new Response(body, { status, headers: { "content-type": type } });

test.each([
  { what: "400 with JSON", answer: json(400), problem: undefined },
  {
    what: "422 with problem details",
    answer: json(422, "application/problem+json; charset=utf-8"),
    problem: undefined,
  },
  {
    what: "200",
    answer: json(200),
    problem: "answered an empty form with 200, not 400 or 422: is this the API's URL?",
  },
  { what: "404", answer: json(404), problem: "answered an empty form with 404, not 400 or 422" },
  { what: "a redirect", answer: json(301), problem: "answered an empty form with 301, not 400 or 422" },
  { what: "a page", answer: json(400, "text/html"), problem: "refused an empty form, but not as JSON (text/html)" },
  {
    what: "no JSON",
    answer: json(400, "application/json", "no"),
    problem: "refused an empty form, but not as JSON (application/json)",
  },
])("an API that answers an empty form with $what is judged as $problem", async ({ answer, problem }) => {
  const fetch = vi.fn(async () => answer);
  const found = await problemOfApi(URL, fetch);
  expect(fetch).toHaveBeenCalledWith(`${URL}/subscription`, expect.objectContaining({ method: "POST", body: "{}" }));
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(`${URL}/subscription ${problem}`);
});

test("an API without https is not asked", async () => {
  const fetch = vi.fn();
  expect(await problemOfApi("http://api.other.com", fetch)).toBe("http://api.other.com is not an https URL");
  expect(fetch).not.toHaveBeenCalled();
});

test("an API that cannot be reached is named with the cause", async () => {
  expect(await problemOfApi(URL, hostsOf({}))).toBe(`${URL}/subscription cannot be reached (getaddrinfo ENOTFOUND)`);
});
