import { expect, test } from "vitest";
import { newCard } from "../../support/stripe/set-up-card";
import { enterCard, validRequest } from "../../support/visitors/visitor";
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

test("the site checks the sign-up's status through the service binding before it shows success [S23]", async () => {
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
