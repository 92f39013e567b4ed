import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../../tools/wrangler/wrangler";
import { fields, SECRET } from "../../support/person";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* Nothing secret or personal may appear in a log, a browser's file or another visitor's page. */

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

describe("the log", () => {
  const FORGED = 'Lovelace\r\n{"event":"forged","x":"Lovelace"}';
  const encoded = encodeURIComponent(FORGED);

  test.each([
    { what: "a field", send: (ray: object) => visitor.submit({ full_name: FORGED }, { ...ray }) },
    { what: "the name of a field", send: (ray: object) => visitor.post(`Lovelace=${encoded}`, { ...ray }) },
    {
      what: "headers",
      send: (ray: object) => visitor.submit({}, { "User-Agent": "Lovelace", Referer: `${site.url}/Lovelace`, ...ray }),
    },
    {
      what: "a path and a query",
      send: (ray: object) =>
        visitor.get(`/unknown/ada.Lovelace@example.com/Lovelace%2540x?name=${encoded}`, { ...ray }),
    },
    {
      what: "a plan and a cookie",
      send: (ray: object) => visitor.get("/subscription/Lovelace", { Cookie: "signup=Lovelace", ...ray }),
    },
    { what: "a path with escapes", send: (ray: object) => visitor.get("/%4c%6fvelace%0a", { ...ray }) },
  ])("is lines of JSON without personal data, whatever $what has", async ({ what, send }) => {
    upstream.answersJson(503, { error: "Lovelace" });
    const ray = what.replaceAll(" ", "-");
    await send({ "CF-Ray": ray });
    await expect.poll(() => site.output.join("\n")).toContain(ray);
    expect(site.output.filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
    expect(site.output.join("\n")).not.toMatch(/Lovelace|forged|ada@|5550123|Example Street|Springfield|62701/i);
  });

  test("has only request IDs from Cloudflare", async () => {
    const answer = await visitor.get("/nothing", { "CF-Ray": "Lovelace\tx" });
    expect(answer.headers.get("X-Request-Id")).not.toContain("Lovelace");
  });

  test("ends a request's events with its own line, all under its ID", async () => {
    upstream.answersJson(503, {});
    await visitor.submit({}, { "CF-Ray": "a-failing-api" });
    // The first of these forms also renders a page for the cache.
    const lines = () =>
      site.logs.filter(({ request_id: id, event }) => id === "a-failing-api" && event !== "page_rendered");
    await expect.poll(lines).toMatchObject([
      { event: "signup_failed", outcome: "rejected", status: 503 },
      { event: "request", method: "POST", route: "/subscription/:id?", status: 503, duration_ms: expect.any(Number) },
    ]);
  });
});

describe("the browser's files", () => {
  const folder = join(root, "public/build");
  const filesThere = async () => (await readdir(folder, { recursive: true })).filter((name) => /\.\w+$/.test(name));

  test.each([
    { what: "key", found: /\b[sr]k_(test|live|local)|whsec_|only-for-local/ },
    { what: "name of a secret", found: /SESSION_SECRET|STRIPE_[A-Z]|SUBSCRIPTION_API|Idempotency-Key/ },
    { what: "reference to a source map", found: /sourceMappingURL/ },
  ])("contain no $what", async ({ found }) => {
    const files = await filesThere();
    expect(files.length, "files of the build").toBeGreaterThan(5);
    const texts = files.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") }));
    const telling = (await Promise.all(texts)).filter(({ text }) => found.test(text));
    expect(telling.map(({ name }) => name)).toEqual([]);
  });

  test("are without source maps", async () => {
    expect((await filesThere()).filter((name) => name.endsWith(".map"))).toEqual([]);
  });
});

describe("what a visitor sends", () => {
  const EVIL = {
    full_name: '"><script>alert(1)</script>',
    company_name: "</script><script>alert(2)</script><!--",
    address: "<img src=x onerror=alert(3)>",
  };
  const EVIL_QUERY = "?return_url=//evil.test&redirect=https://evil.test&next=//evil.test&continue=https://evil.test";
  const signedUp = async () => ({ Cookie: (await visitor.submit(EVIL)).cookie, "X-Forwarded-Host": "evil.test" });

  test.each([`/subscription/${fields.package_id}`, "/subscription.data"])(
    "leads from the card step to no other site: %s",
    async (path) => {
      const answer = await visitor.get(path + EVIL_QUERY, await signedUp());
      expect(answer).toHaveStatus(200);
      expect(answer.body).not.toContain("evil.test");
      expect(answer.body).toContain(`${site.url}/subscription`);
    },
  );

  test.each([
    { page: "the refused form", get: () => visitor.submit({ ...EVIL, email: "x" }) },
    {
      page: "the card step",
      get: async () => visitor.get(`/subscription/${fields.package_id}`, await signedUp()),
    },
    {
      page: "the form of an unknown plan",
      get: () => visitor.get("/subscription/%3Cscript%3Ealert(4)?id=%22%3E%3Cscript%3Ealert(5)"),
    },
  ])("runs no script on $page", async ({ get }) => {
    const { body } = await get();
    expect(body).not.toMatch(/<script>alert|<img src=x/);
    const opened = body.match(/<script\b/g)?.length;
    expect(body.match(/<\/script>/g)?.length, "as many scripts end as begin").toBe(opened);
  });
});
