import { request as open } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sign } from "../../support/stripe/stripe-events";
import { sendRaw } from "../../support/visitors/raw-request";
import { enterCard, post, rows, signUp } from "../../support/visitors/visitor";
import { stallsInACompressedBody, startUpstream, type Upstream } from "../../support/workers/upstream";
import { type RunningWorker, startBackend, startSubscriptionApi } from "../../support/workers/workers";

/* What the API reads: of requests, and of what others answer. */

const KIB = 1024;

const routes = [
  ["/subscription", 16],
  ["/webhooks/stripe", 256],
] as const;

const { api, stripe, dispose } = await startBackend();
afterAll(dispose);

/** Sends a byte every 200 ms until the answer is there. */
function trickle(path: string) {
  const started = performance.now();
  return new Promise<{ status: number; afterMs: number }>((resolve, reject) => {
    const request = open(new URL(path, api.url.replace("localhost", "127.0.0.1")), {
      method: "POST",
      agent: false,
      headers: { "Content-Type": "application/json", "Transfer-Encoding": "chunked" },
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

describe("a request body", () => {
  /** Leaves the request open after the body, as somebody does who has more to send. */
  const sendOn = (path: string, body: string, headers: [string, string][]) =>
    sendRaw(api.url, {
      method: "POST",
      path,
      body,
      unfinished: true,
      headers: [["Content-Type", "application/json"], ...headers],
    });

  test.each(routes)(
    "sent to %s is counted: over %i KiB gives 413, whatever its Content-Length [H2]",
    async (path, kib) => {
      const chunked: [string, string][] = [["Transfer-Encoding", "chunked"]];
      const tooLong = " ".repeat(kib * KIB + 1);
      for (const length of [undefined, "2", "0", String(kib * KIB)]) {
        const lie: [string, string][] = length === undefined ? [] : [["Content-Length", length]];
        expect((await sendOn(path, tooLong, [...chunked, ...lie])).status, length).toBe(413);
        expect((await sendOn(path, tooLong, [...lie, ...chunked])).status, length).toBe(413);
      }
      const headers = { "content-type": "application/json" };
      expect((await post(`${api.url}${path}`, tooLong, headers)).status).toBe(413);
      expect([400, 422]).toContain((await post(`${api.url}${path}`, tooLong.slice(1), headers)).status);
    },
  );

  test("that never ends times out after ten seconds, and the next request works [H2]", async () => {
    const answers = await Promise.all(routes.map(([path]) => trickle(path)));
    expect(answers.map(({ status }) => status)).toEqual([408, 408]);
    for (const { afterMs } of answers) {
      expect(afterMs).toBeGreaterThan(9_000);
      expect(afterMs).toBeLessThan(20_000);
    }
    expect((await signUp(api, { email: "after@example.com" })).status).toBe(200);
  });

  test("sent in chunks keeps its bytes, and so its signature [G7]", async () => {
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
});

describe("a response to the API", () => {
  let provider: Upstream;
  /** Whose email provider and console is the test. */
  let other: RunningWorker;
  beforeAll(async () => {
    provider = await startUpstream();
    other = await startSubscriptionApi({
      simulatorUrl: stripe.url,
      vars: { MAIL_API_URL: `${provider.url}/emails`, CONSOLE_WEBHOOK_URL: `${provider.url}/hooks` },
    });
  });
  afterAll(async () => {
    await other.dispose();
    provider.dispose();
  });

  /** A trial that begins, whose email and whose account webhook are sent. */
  async function trialOf(email: string) {
    const { clientSecret } = await signUp(other, { email });
    await enterCard(stripe.url, clientSecret);
    await signUp(other, { email });
  }
  const messagesOf = (email: string) =>
    rows(
      other,
      `SELECT outbox.state, outbox.attempts FROM outbox JOIN sign_ups ON sign_ups.id = sign_up_id
       WHERE kind <> 'trial-ending' AND email = ?`,
      email,
    );
  test.each([
    [409, "due"],
    [200, "sent"],
  ])(
    "with status %i that never ends is abandoned, from the email provider and the console [H2]",
    async (status, state) => {
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
      const email = `endless-${status}@example.com`;
      await trialOf(email);
      await expect
        .poll(() => messagesOf(email))
        .toEqual([
          { state, attempts: 1 },
          { state, attempts: 1 },
        ]);
      expect(sent).toBeLessThan(32 * KIB * KIB);
    },
  );

  test("that is compressed is limited by its decompressed size, and not awaited, from the email provider [H2]", async () => {
    provider.answers(stallsInACompressedBody(64 * KIB, 409));
    await trialOf("compressed@example.com");
    const failed = expect.objectContaining({ event: "message_failed", reason: "409", kind: "trial-started" });
    await expect.poll(() => other.logs, { timeout: 5_000 }).toContainEqual(failed);
  });
});
