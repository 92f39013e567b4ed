import { request as open } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { sign } from "../../support/stripe/stripe-events";
import { sendRaw } from "../../support/visitors/raw-request";
import { enterCard, post, rows, signUp, validRequest } from "../../support/visitors/visitor";
import {
  answersWith,
  redirects,
  stallsInACompressedBody,
  startUpstream,
  type Upstream,
} from "../../support/workers/upstream";
import { type RunningWorker, startBackend, startSubscriptionApi } from "../../support/workers/workers";

/* What the API reads: of requests, and of what others answer. */

const OPERATOR_TOKEN = "only-for-local-development-never-for-a-deployment";
const KIB = 1024;

const routes = [
  ["/subscription", 16, {}],
  ["/operator/export", 16, { Authorization: `Bearer ${OPERATOR_TOKEN}` }],
  ["/operator/erase", 16, { Authorization: `Bearer ${OPERATOR_TOKEN}` }],
  ["/webhooks/stripe", 256, {}],
] as const;

let api: RunningWorker;
let stripe: RunningWorker;
beforeAll(async () => {
  const backend = await startBackend(await fastApi());
  ({ api, stripe } = backend);
  return backend.dispose;
});

/** Sends a byte every 200 ms until the answer is there. */
function trickle(path: string, headers: Record<string, string>) {
  const started = performance.now();
  return new Promise<{ status: number; afterMs: number }>((resolve, reject) => {
    const request = open(new URL(path, api.url.replace("localhost", "127.0.0.1")), {
      method: "POST",
      agent: false,
      headers: { "Content-Type": "application/json", "Transfer-Encoding": "chunked", ...headers },
    });
    const timer = setInterval(() => request.write(" "), 200);
    request.on("close", () => clearInterval(timer));
    request.on("response", ({ statusCode = 0 }) => {
      resolve({ status: statusCode, afterMs: performance.now() - started });
      request.destroy();
    });
    request.on("error", reject);
  });
}

describe("a request's body", () => {
  /** Leaves the request open after the body, as somebody does who has more to send. */
  const sendOn = (path: string, body: string, headers: [string, string][]) =>
    sendRaw(api.url, {
      method: "POST",
      path,
      body,
      unfinished: true,
      headers: [["Content-Type", "application/json"], ...headers],
    });

  it.each(routes)(
    "to %s is counted: over %i KiB is 413, whatever Content-Length says [H2]",
    async (path, kib, authorization) => {
      const chunked: [string, string][] = [["Transfer-Encoding", "chunked"], ...Object.entries(authorization)];
      const tooLong = " ".repeat(kib * KIB + 1);
      for (const length of [undefined, "2", "0", String(kib * KIB)]) {
        const lie: [string, string][] = length === undefined ? [] : [["Content-Length", length]];
        expect((await sendOn(path, tooLong, [...chunked, ...lie])).status, length).toBe(413);
        expect((await sendOn(path, tooLong, [...lie, ...chunked])).status, length).toBe(413);
      }
      const headers = { "content-type": "application/json", ...authorization };
      expect((await post(`${api.url}${path}`, tooLong, headers)).status).toBe(413);
      expect([400, 422]).toContain((await post(`${api.url}${path}`, tooLong.slice(1), headers)).status);
    },
  );

  it("that never ends is given up after ten seconds, and the next request works [H2]", async () => {
    const answers = await Promise.all(routes.map(([path, , headers]) => trickle(path, headers)));
    expect(answers.map(({ status }) => status)).toEqual([408, 408, 408, 408]);
    for (const { afterMs } of answers) {
      expect(afterMs).toBeGreaterThan(9_000);
      expect(afterMs).toBeLessThan(20_000);
    }
    expect((await signUp(api, { email: "after@example.com" })).status).toBe(200);
  });

  it("that comes in chunks is read as it was sent, and keeps its signature [G7]", async () => {
    const text = "ä€😀".repeat(9_000);
    const event = JSON.stringify({ id: "evt_1", type: "invoice.upcoming", data: { object: { text } } });
    const deliver = (body: string) =>
      sendRaw(api.url, {
        method: "POST",
        path: "/webhooks/stripe",
        body,
        headers: [
          ["Transfer-Encoding", "chunked"],
          ["Stripe-Signature", sign(event)],
        ],
      });
    expect((await deliver(event)).status).toBe(200);
    expect((await deliver(event.slice(0, -1))).status).toBe(400);
  });

  it("without content is told from one that is too long [G3]", async () => {
    for (const [path, , headers] of routes) {
      const answer = await fetch(`${api.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close", ...headers },
      });
      expect([400, 422], path).toContain(answer.status);
    }
    const deep = "[".repeat(8_000);
    expect((await post(`${api.url}/subscription`, deep, { "content-type": "application/json" })).status).toBe(400);
  });
});

describe("an answer to the API", () => {
  let provider: Upstream;
  beforeAll(async () => {
    provider = await startUpstream();
  });
  afterAll(() => provider.dispose());

  it.each([301, 302, 303, 307, 308])(
    "that redirects with %i leads nowhere: no other host sees what is Stripe's, the mail provider's or the console's [G11]",
    async (status) => {
      const other = await startUpstream();
      const redirected = await startSubscriptionApi({
        simulatorUrl: stripe.url,
        ...(await fastApi()),
        vars: { MAIL_API_URL: `${provider.url}/emails`, CONSOLE_WEBHOOK_URL: `${provider.url}/hooks` },
      });
      const strange = await startSubscriptionApi({ simulatorUrl: provider.url, ...(await fastApi()) });
      provider.answers(redirects(status, `${other.url}/elsewhere`));

      const email = `redirected-${status}@example.com`;
      expect([502, 503]).toContain((await signUp(strange, { email })).status);
      const { clientSecret } = await signUp(redirected, { email });
      await enterCard(stripe.url, clientSecret);
      await signUp(redirected, { email });
      const failed = () => redirected.logs.filter(({ event }) => event === "message_failed").length;
      await expect.poll(failed).toBe(2);
      expect(new Set(provider.calls.map(({ url }) => url.split("?")[0]))).toEqual(
        new Set(["/v1/customers", "/emails", "/hooks"]),
      );
      expect(other.calls).toEqual([]);
      await Promise.all([redirected.dispose(), strange.dispose()]);
      other.dispose();
    },
  );

  it.each([409, 500, 200])(
    "with status %i and without end is not read on, from mail provider and console [H2]",
    async (status) => {
      const other = await startSubscriptionApi({
        simulatorUrl: stripe.url,
        ...(await fastApi()),
        vars: { MAIL_API_URL: `${provider.url}/emails`, CONSOLE_WEBHOOK_URL: `${provider.url}/hooks` },
      });
      let sent = 0;
      provider.answers((response) => {
        response.writeHead(status, { "Content-Type": "application/json", "Content-Length": "300000000" });
        const chunk = Buffer.alloc(64 * KIB, " ");
        const more = () => {
          while (!response.destroyed && sent < 300_000_000) {
            sent += chunk.byteLength;
            if (!response.write(chunk)) return void response.once("drain", more);
          }
        };
        more();
      });
      const { clientSecret } = await signUp(other, { ...validRequest, email: "endless@example.com" });
      await enterCard(stripe.url, clientSecret);
      await signUp(other, { email: "endless@example.com" });
      const state = status === 200 ? "sent" : "due";
      await expect
        .poll(() => rows(other, "SELECT state, attempts FROM outbox WHERE kind <> 'trial-ending'"))
        .toEqual([
          { state, attempts: 1 },
          { state, attempts: 1 },
        ]);
      expect(sent).toBeLessThan(32 * KIB * KIB);
      provider.answers(answersWith(200, "{}"));
      await other.dispose();
    },
  );

  it("that is compressed is counted by what it says, and not waited for, from the mail provider [H2]", async () => {
    const other = await startSubscriptionApi({
      simulatorUrl: stripe.url,
      ...(await fastApi()),
      vars: { MAIL_API_URL: `${provider.url}/emails` },
    });
    provider.answers(stallsInACompressedBody(64 * KIB, 409));
    const { clientSecret } = await signUp(other, { ...validRequest, email: "compressed@example.com" });
    await enterCard(stripe.url, clientSecret);
    await signUp(other, { email: "compressed@example.com" });
    const failure = { event: "message_failed", kind: "trial-started", reason: "409" };
    await expect.poll(() => other.logs, { timeout: 5_000 }).toContainEqual(expect.objectContaining(failure));
    await other.dispose();
  });
});
