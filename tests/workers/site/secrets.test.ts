import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { root } from "../../../tools/wrangler/wrangler";
import { fields, SECRET } from "../../support/person";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* Nothing secret or personal may appear in a log, a browser's file or another visitor's page. */

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

test("the log is lines of JSON without personal data, whatever path, query, headers, fields and their names have", async () => {
  upstream.answersJson(503, { error: "Lovelace" });
  const forged = 'Lovelace\r\n{"event":"forged","x":"Lovelace"}';
  const encoded = encodeURIComponent(forged);
  const headers = { "User-Agent": "Lovelace", Referer: `${site.url}/Lovelace`, "CF-Ray": "the-fields" };
  await visitor.submit({ full_name: forged }, headers);
  await visitor.post(`Lovelace=${encoded}`, { "CF-Ray": "the-name" });
  const path = `/subscription/ada.Lovelace@example.com/%4c%6fvelace%0a?name=${encoded}`;
  await visitor.get(path, { Cookie: "signup=Lovelace", "CF-Ray": "the-path" });
  const log = () => site.output.join("\n");
  for (const ray of ["the-fields", "the-name", "the-path"]) await expect.poll(log).toContain(ray);
  expect(site.output.filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
  expect(log()).not.toMatch(/Lovelace|forged|ada@|5550123|Example Street|Springfield|62701/i);
});

test("the browser's files have no key, no name of a secret and no source map", async () => {
  const folder = join(root, "public/build");
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.\w+$/.test(name));
  expect(files.length, "files of the build").toBeGreaterThan(5);
  expect(files.filter((name) => name.endsWith(".map"))).toEqual([]);
  const SECRETS =
    /\b[sr]k_(test|live|local)|whsec_|only-for-local|SESSION_SECRET|STRIPE_[A-Z]|SUBSCRIPTION_API|Idempotency-Key|sourceMappingURL/g;
  for (const name of files)
    expect((await readFile(join(folder, name), "utf8")).match(SECRETS), `secrets in ${name}`).toBeNull();
});

const EVIL = {
  full_name: '"><script>alert(1)</script>',
  company_name: "</script><script>alert(2)</script><!--",
  address: "<img src=x onerror=alert(3)>",
};
const EVIL_QUERY = "?return_url=//evil.test&redirect=https://evil.test&next=//evil.test&continue=https://evil.test";
const EVIL_PLAN = "/subscription/%3Cscript%3Ealert(4)?id=%22%3E%3Cscript%3Ealert(5)";

test("what a visitor sends leads from the card step to no other site", async () => {
  const headers = { Cookie: (await visitor.submit(EVIL)).cookie, "X-Forwarded-Host": "evil.test" };
  for (const path of [`/subscription/${fields.package_id}`, "/subscription.data"]) {
    const answer = await visitor.get(path + EVIL_QUERY, headers);
    expect(answer).toHaveStatus(200);
    expect(answer.body).not.toContain("evil.test");
    expect(answer.body).toContain(`${site.url}/subscription`);
  }
});

test.each([
  { page: "the refused form", get: () => visitor.submit({ ...EVIL, email: "x" }) },
  { page: "the form of an unknown plan", get: () => visitor.get(EVIL_PLAN) },
])("what a visitor sends runs no script on $page", async ({ get }) => {
  const { body } = await get();
  expect(body).not.toMatch(/<script>alert|<img src=x/);
  const opened = body.match(/<script\b/g)?.length;
  expect(body.match(/<\/script>/g)?.length, "as many scripts end as begin").toBe(opened);
});
