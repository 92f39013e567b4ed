import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../support/upstream";
import { validRequest } from "../support/visitor";
import { migrate, type RunningWorker, startSite, startStripeSimulator } from "../support/workers";

/** Nothing listens at this URL: what arrives came by the binding. */
const NOWHERE = "http://localhost:9";

/** A service binding to what listens at a URL. */
const boundTo = (url: string) => ({
  serviceBindings: { SUBSCRIPTION_API: { external: { address: new URL(url).host, http: {} } } },
});

function submit(site: RunningWorker, change: Record<string, string> = {}) {
  return fetch(`${site.url}/subscription`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: site.url, "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ ...validRequest, confirmPassword: validRequest.password, ...change }),
  });
}

describe("the site with a service binding", () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let site: RunningWorker;
  beforeAll(async () => {
    upstream = await startUpstream();
    site = await startSite({
      vars: { SUBSCRIPTION_API_URL: NOWHERE, SUBSCRIPTION_API_TIMEOUT_MS: "700" },
      miniflare: boundTo(upstream.url),
    });
  });
  afterAll(async () => {
    await site.dispose();
    upstream.dispose();
  });

  it("sends the sign-up by the binding and not by the URL", async () => {
    upstream.answersJson(200, { client_secret: "seti_1_secret_2" });
    expect((await submit(site)).status).toBe(303);
    expect(upstream.calls).toHaveLength(1);
    expect(JSON.parse(upstream.calls[0]?.body ?? "")).toMatchObject({ email: validRequest.email });
    expect(upstream.calls[0]?.headers["idempotency-key"]).toBeTruthy();
  });

  it("gives up at the deadline [C1]", async () => {
    upstream.answers(() => {});
    const response = await submit(site);
    expect(response.status).toBe(504);
    expect(await response.text()).toContain("Connection Failed");
  });

  it.each([301, 302, 303, 307, 308])("does not follow a %i [C3]", async (status) => {
    const other = await startUpstream();
    upstream.answers((response) => response.writeHead(status, { Location: other.url }).end());
    await submit(site);
    expect(upstream.calls).toHaveLength(1);
    expect(other.calls).toHaveLength(0);
    other.dispose();
  });

  it("stops reading an endless body [C7]", async () => {
    upstream.answers((response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const timer = setInterval(() => response.write("x".repeat(16_384)), 1);
      response.on("close", () => clearInterval(timer));
    });
    const response = await submit(site);
    expect(response.status).toBeGreaterThanOrEqual(400);
    upstream.answersJson(200, { client_secret: "seti_1_secret_2" });
    expect((await submit(site)).status).toBe(303);
  });
});

it("reaches the reference API by a service binding", async () => {
  const stripe = await startStripeSimulator();
  const name = "citewell-subscription-api";
  const site = await startSite({
    vars: { SUBSCRIPTION_API_URL: NOWHERE },
    miniflare: { serviceBindings: { SUBSCRIPTION_API: { name, entrypoint: "SiteApi" } } },
    beside: {
      folder: "functions/subscription-api",
      bundle: "subscription-api/index.js",
      vars: { STRIPE_API_URL: stripe.url },
    },
  });
  const db = await site.mf.getD1Database("DB", name);
  await migrate(db);

  expect((await submit(site, { email: "bound@example.com" })).status).toBe(303);
  expect((await db.prepare("SELECT email, status FROM sign_ups").all()).results).toEqual([
    { email: "bound@example.com", status: "pending" },
  ]);
  await Promise.all([site.dispose(), stripe.dispose()]);
});
