import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newCard } from "../../support/stripe/set-up-card";
import { enterCard, validRequest } from "../../support/visitors/visitor";
import { startUpstream } from "../../support/workers/upstream";
import { type RunningWorker, startBackend, startSite } from "../../support/workers/workers";

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
      vars: { SUBSCRIPTION_API_URL: NOWHERE, SUBSCRIPTION_API_TIMEOUT_MS: "3000" },
      miniflare: boundTo(upstream.url),
    });
  });
  afterAll(async () => {
    await site.dispose();
    upstream.dispose();
  });

  test("sends the sign-up by the binding and not by the URL", async () => {
    upstream.answersJson(200, { client_secret: "seti_1_secret_2" });
    expect((await submit(site)).status).toBe(303);
    expect(upstream.calls).toHaveLength(1);
    expect(JSON.parse(upstream.calls[0]?.body ?? "")).toMatchObject({ email: validRequest.email });
    expect(upstream.calls[0]?.headers["idempotency-key"]).toBeTruthy();
  });

  test("does not follow a redirect [C3]", async () => {
    const other = await startUpstream();
    upstream.answers((response) => response.writeHead(307, { Location: other.url }).end());
    await submit(site);
    expect(upstream.calls).toHaveLength(1);
    expect(other.calls).toHaveLength(0);
    other.dispose();
  });

  test("stops reading an endless body [C7]", async () => {
    upstream.answers((response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const timer = setInterval(() => response.write("x".repeat(16_384)), 1);
      response.on("close", () => clearInterval(timer));
    });
    const response = await submit(site);
    // Read to its end, it would take until the deadline: 504.
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("An unexpected error occurred. Please try again.");
    upstream.answersJson(200, { client_secret: "seti_1_secret_2" });
    expect((await submit(site)).status).toBe(303);
  });
});

test("asks the reference API by the service binding how the sign-up stands, before it says success [S23]", async () => {
  const { api, stripe, dispose } = await startBackend({ vars: { ONE_TRIAL_PER_PERSON: "true" } });
  const vars = { SUBSCRIPTION_API_URL: NOWHERE, STRIPE_API_URL: stripe.url };
  const site = await startSite({ vars, miniflare: boundTo(api.url) });
  const card = newCard();
  const pages = ["first@example.com", "second@example.com"].map(async (email) => {
    const taken = await submit(site, { email });
    const headers = { Cookie: (taken.headers.get("set-cookie") ?? "").split(";")[0] ?? "", Origin: site.url };
    const page = await (await fetch(`${site.url}/subscription`, { headers })).text();
    return { headers, secret: /seti_\w+_secret_\w+/.exec(page)?.[0] };
  });
  const finished: string[] = [];
  for (const { headers, secret } of await Promise.all(pages)) {
    await enterCard(stripe.url, secret, card);
    const body = new URLSearchParams({ intent: "card-set-up" });
    const init = {
      method: "POST",
      redirect: "manual" as const,
      headers: { ...headers, "Sec-Fetch-Site": "same-origin" },
    };
    const answer = await fetch(`${site.url}/subscription`, { ...init, body });
    const Cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    finished.push(await (await fetch(`${site.url}/subscription`, { headers: { Cookie } })).text());
  }
  expect(finished[0]).toContain("Your 5 days trial period has been started.");
  expect(finished[1]).toContain("This card has already been used for a free trial.");
  await Promise.all([site.dispose(), dispose()]);
});
