import { connect } from "node:net";
import { expect, test } from "vitest";
import { rowOf, setupEvent } from "../../support/stripe/set-up-card";
import { sign } from "../../support/stripe/stripe-events";
import { enterCard, mails, signUp } from "../../support/visitors/visitor";
import { startUpstream } from "../../support/workers/upstream";
import { startStripeSimulator, startSubscriptionApi } from "../../support/workers/workers";

test("a webhook is processed completely, with its email, even if Stripe disconnects [G7]", async () => {
  const email = "hang-up@example.com";
  // Nobody listens there, so that Stripe itself delivers nothing.
  const stripe = await startStripeSimulator({ webhookUrl: "http://127.0.0.1:1" });
  const slow = await startUpstream();
  const [asked, gate] = [gateOf(), gateOf()];
  let isGated = false;
  slow.answers(async (response, { method, url, headers, body }) => {
    if (isGated) {
      asked.resolve();
      await gate.promise;
    }
    const { authorization = "", "content-type": type = "", "idempotency-key": key } = headers;
    const answer = await fetch(stripe.url + url, {
      method,
      headers: { authorization, "content-type": type, ...(key && { "idempotency-key": String(key) }) },
      ...(method === "GET" ? {} : { body }),
    });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  const vars = { STRIPE_API_URL: slow.url };
  const api = await startSubscriptionApi({ simulatorUrl: stripe.url, vars });
  try {
    const { clientSecret } = await signUp(api, { email });
    await enterCard(stripe.url, clientSecret);
    const event = await setupEvent(stripe, "setup_intent.succeeded", clientSecret);
    const head = [
      "POST /webhooks/stripe HTTP/1.1",
      "host: localhost",
      `stripe-signature: ${sign(event)}`,
      `content-length: ${Buffer.byteLength(event)}`,
    ];
    isGated = true;
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
    socket.write(`${head.join("\r\n")}\r\n\r\n${event}`);
    await asked.promise;
    socket.resetAndDestroy();
    expect(await rowOf(api, email)).toMatchObject({ status: "pending" });
    gate.resolve();
    await expect.poll(async () => (await rowOf(api, email)).status).toBe("trialing");
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
  } finally {
    slow.dispose();
    await Promise.all([api.dispose(), stripe.dispose()]);
  }
});

/** `Promise.withResolvers` comes with Node 22. */
function gateOf() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}
