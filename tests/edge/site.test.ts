import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fields, SECRET, type SiteVisitor, siteVisitor } from "../support/site-visitor";
import { startUpstream } from "../support/upstream";
import { type RunningWorker, startSite } from "../support/workers";

/* What the site does when nothing goes wrong; the other files here have what must not break. */

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let site: RunningWorker;
let visitor: SiteVisitor;

beforeAll(async () => {
  upstream = await startUpstream();
  site = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url } });
  visitor = siteVisitor(site);
});

afterAll(async () => {
  await site.dispose();
  upstream.dispose();
});

describe("pages", () => {
  test.each([
    ["/", "AI search"],
    ["/pricing", "STANDARD"],
    ["/privacy", "August 14, 2025"],
    ["/terms", "August 14, 2025"],
    ["/subscription", "Complete Your Subscription"],
  ])("%s is rendered with header and footer", async (path, words) => {
    const { status, text } = await visitor.get(path);
    expect(status).toBe(200);
    expect(text).toContain(words);
    expect(text).toContain("Customer Console");
    expect(text).toContain(`© ${new Date().getUTCFullYear()}`);
  });

  test("pricing links each paid plan to its sign-up", async () => {
    const { text } = await visitor.get("/pricing");
    for (const id of [
      "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
      "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220",
      fields.package_id,
    ]) {
      expect(text).toContain(`href="/subscription/${id}"`);
    }
    expect(text).toContain('href="mailto:sales@citewell.example');
  });

  test("marketing pages carry no framework script", async () => {
    for (const path of ["/", "/pricing", "/privacy", "/terms", "/nope"]) {
      const { text } = await visitor.get(path);
      expect(text).not.toContain("__remixContext");
      expect(text).not.toMatch(/<script(?! nomodule)[^>]* src=|modulepreload/i);
    }
  });

  test("an unknown address is a 404 with the not-found page and one line in the log", async () => {
    const { status, text } = await visitor.get("/nothing/here", { "CF-Ray": "not-found" });
    expect(status).toBe(404);
    expect(text).toContain("Oops! Page not found");
    const line = { event: "not_found", request_id: "not-found" };
    await expect.poll(() => site.logs).toContainEqual(expect.objectContaining(line));
  });

  test("health gives the release", async () => {
    const { status, body } = await visitor.get("/health");
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: "ok", release: expect.stringMatching(/.+/) });
  });

  test("C10: health names what is missing or wrong, and pages say that the service is unavailable", async () => {
    const vars = { SESSION_SECRET: undefined, SALES_EMAIL: "nobody", SUBSCRIPTION_API_URL: "http://u:p@localhost" };
    const broken = await startSite({ vars });
    const locked = siteVisitor(broken);
    const { status, body } = await locked.get("/health");
    expect(status).toBe(503);
    const { problems }: { problems: { name: string }[] } = JSON.parse(body);
    expect(problems.map(({ name }) => name).sort()).toEqual(["SALES_EMAIL", "SESSION_SECRET", "SUBSCRIPTION_API_URL"]);
    expect(body).not.toContain("u:p");
    for (const answer of [await locked.get("/"), await locked.submit(), await locked.post("[]", {}, "/csp-reports")]) {
      expect(answer.status).toBe(503);
      expect(answer.text).toContain("Service temporarily unavailable. Please try again later.");
      expect(answer.text).toContain(`Request id: ${answer.headers.get("X-Request-Id")}`);
    }
    await broken.dispose();
  });
});

describe("the sign-up", () => {
  test("a package id that is no uuid is said where the visitor sees it", async () => {
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

  test("the card step without JavaScript says what it needs, and the link goes on with it elsewhere", async () => {
    const { cookie: Cookie } = await visitor.submit();
    const { text } = await visitor.get("/subscription", { Cookie });
    expect(text).toContain("Entering a card needs JavaScript");
    expect(text).toContain("QR code");
    const link = /href="([^"]+continue=[^"]+)"/.exec(text)?.[1] ?? "";
    expect(link).toContain(`${site.url}/subscription?continue=`);
    expect(link).not.toContain("seti_");
  });

  test("without a publishable key the card step says so", async () => {
    const keyless = await startSite({
      vars: { SUBSCRIPTION_API_URL: upstream.url, STRIPE_PUBLISHABLE_KEY: undefined },
    });
    const stuck = siteVisitor(keyless);
    const { cookie: Cookie } = await stuck.submit();
    expect((await stuck.get("/subscription", { Cookie })).text).toContain("Configuration Error");
    await keyless.dispose();
  });
});
