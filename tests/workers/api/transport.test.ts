import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { rowOf } from "../../support/stripe/set-up-card";
import { siteVisitor } from "../../support/visitors/site-visitor";
import { enterCard, mails, stripeStateOf, validRequest } from "../../support/visitors/visitor";
import { startBackend, startSite } from "../../support/workers/workers";

const { api, stripe, dispose } = await startBackend();
afterAll(dispose);

describe("the request ID", () => {
  const idsOf = (event: string) => api.logs.filter((line) => line.event === event).map(({ request_id: id }) => id);

  test("connects the page with the logs, the row and Stripe's objects, in both directions [W1]", async () => {
    const ray = "8f1e2d3c4b5a6979-FRA";
    const email = "supported@example.com";
    const site = await startSite({
      vars: {
        SUBSCRIPTION_API_URL: api.url,
        STRIPE_API_URL: stripe.url,
        STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
      },
    });
    const visitor = siteVisitor(site);
    const accepted = await visitor.submit({ email }, { "CF-Ray": ray });
    expect(accepted.headers.get("x-request-id")).toBe(ray);
    const { id } = await rowOf(api, email);
    await expect
      .poll(() => api.logs)
      .toContainEqual({ level: "info", event: "sign_up_accepted", request_id: ray, signUpId: id });

    const { setupIntents } = await stripeStateOf(stripe, email);
    await enterCard(stripe.url, setupIntents[0]?.client_secret ?? "");
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    const { customers, subscriptions } = await stripeStateOf(stripe, email);
    const made = [...customers, ...setupIntents, ...subscriptions].map(({ metadata }) => metadata);
    expect(made).toMatchObject(Array.from({ length: 3 }, () => ({ sign_up_id: id, request_id: ray })));
    expect(await rowOf(api, email)).toMatchObject({ request_id: ray });

    const path = `/subscription/${validRequest.package_id}`;
    const told = await visitor.post("intent=card-set-up", { Cookie: accepted.cookie }, path);
    const done = await visitor.get(path, { Cookie: told.cookie });
    expect(done.text).toContain("Subscription Successful!");
    expect(done.text).toContain(`<code>${ray}</code>`);
    await site.dispose();
  });

  test("is on the notice of a form that the API did not accept [W1]", async () => {
    const site = await startSite({ vars: { SUBSCRIPTION_API_URL: `${api.url}/nothing` } });
    const refused = await siteVisitor(site).submit({}, { "CF-Ray": "8f1e2d3c4b5a6980-FRA" });
    expect(refused.text).toContain("<code>8f1e2d3c4b5a6980-FRA</code>");
    await expect.poll(() => idsOf("request")).toContain("8f1e2d3c4b5a6980-FRA");
    await site.dispose();
  });

  test.each(["\r\n folded", "\0"])("containing %j adds no header and no log line", async (end) => {
    const lines = api.logs.length;
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
    socket.end(
      `GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: first${end}\r\n\r\n`,
      "latin1",
    );
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
    expect(answer).not.toMatch(/folded|^set-cookie/im);
    expect(JSON.stringify(api.logs.slice(lines))).not.toMatch(/folded|Set-Cookie|first[^"]/);
  });
});
