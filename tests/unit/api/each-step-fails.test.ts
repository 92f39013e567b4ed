import Stripe from "stripe";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { answersOf, apiInProcess, type Upstream } from "../../support/api-in-process/api";
import { inTime, stopClock } from "../../support/api-in-process/clock";
import { eventOf, sign } from "../../support/stripe/stripe-events";
import { validRequest } from "../../support/visitors/visitor";

/* One sign-up for each way in which each of its steps can fail, once. The simulation has many faults, and others' sign-ups. */

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
/** The stripe package itself tries calls of visitors and of the cron handler twice. */
const TRIES = 2;

const WAYS = {
  database: ["refused", "answer lost"],
  stripe: ["refused", "answer lost", "409", "429", "500", "500 after its work"],
  receiver: ["refused", "answer lost", "500", "500 after its work"],
  webhook: ["refused", "answer lost"],
} as const;
type Way = (typeof WAYS)[keyof typeof WAYS][number];
/** A step that only reads has no work to be lost, and no idempotency key to be in use. */
const waysOf = ({ kind, what }: Step) =>
  /^(SELECT|GET) /.test(what) ? WAYS[kind].filter((way) => !/lost|after|409/.test(way)) : WAYS[kind];
type Step = { kind: keyof typeof WAYS; what: string };

stopClock(NOW, { timers: true });

/** A sign-up from its form to its trial, with a fault at one of its steps. */
async function live(fault?: { at: number; way: Way }) {
  const steps: Step[] = [];
  let triesToFail = 0;
  const wayOf = (kind: Step["kind"], what: string): Way | undefined => {
    const index = steps.push({ kind, what }) - 1;
    if (index === fault?.at) triesToFail = kind === "stripe" ? TRIES : 1;
    else if (steps.at(-2)?.what !== what) triesToFail = 0;
    if (triesToFail === 0) return undefined;
    triesToFail -= 1;
    return fault?.way;
  };

  const sent = new Map<string, string>();
  const upstream: Upstream = async (url, request) => {
    const isStripe = url.pathname.startsWith("/v1/");
    const way = wayOf(isStripe ? "stripe" : "receiver", `${request.method} ${url.pathname}`);
    if (way === "refused") throw new TypeError("fetch failed");
    const error = (status: number) => Response.json({ error: { type: "api_error" } }, { status });
    if (way === "409" || way === "429") return error(Number(way));
    let answer: Response;
    if (isStripe) {
      const key = request.headers.get("idempotency-key") ?? undefined;
      const fails = way === "500" ? "before" : way === "500 after its work" ? "after" : undefined;
      const { status, text } = api.model.request(request.method, url, await request.text(), key, fails);
      answer = new Response(text, { status, headers: { "content-type": "application/json" } });
    } else {
      if (way === "500") return error(500);
      const key = request.headers.get("idempotency-key") ?? request.headers.get("webhook-id") ?? "";
      sent.set(key, url.pathname);
      answer = way === "500 after its work" ? error(500) : await answersOf(api.model)(url, request);
    }
    if (way === "answer lost") throw new TypeError("fetch failed");
    return answer;
  };
  const events: [type: string, object: object][] = [];
  const api = apiInProcess({
    upstream,
    tell: (_, type, about) => events.push([type, { ...about }]),
    io: async (label, effect) => {
      const way = wayOf("database", label.trim());
      if (way === "refused") throw new Error("D1_ERROR: Network connection lost.");
      const result = effect();
      if (way === "answer lost") throw new Error("D1_ERROR: D1 DB storage caused object to be reset.");
      return result;
    },
  });

  const form = {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "the-key" },
    body: JSON.stringify(validRequest),
  };
  /** The form is sent until it is taken, unchanged. */
  let answer = await inTime(api.ask("/subscription", form));
  for (let tries = 1; tries < 6 && answer.status !== 200; tries += 1) {
    expect([409, 503]).toContain(answer.status);
    expect(await answer.text()).not.toMatch(/D1_ERROR|SQLITE_|example\.com/);
    answer = await inTime(api.ask("/subscription", form));
  }
  const { client_secret } = z.object({ client_secret: z.string() }).parse(await answer.json());
  expect(api.model.confirm(client_secret.split("_secret_")[0] ?? "", "a card", false)).toBe("succeeded");

  /** Stripe sends each event until it is taken. */
  for (let event = events.shift(); event; event = events.shift()) {
    const [type, object] = event;
    const body = eventOf(type, object);
    for (let tries = 0; tries < 4; tries += 1) {
      const way = wayOf("webhook", type);
      if (way === "refused") continue;
      const request = { method: "POST", body, headers: { "stripe-signature": sign(body) } };
      const { status } = await inTime(api.ask("/webhooks/stripe", request));
      if (status === 200 && way === undefined) break;
    }
  }
  await inTime(api.settled());
  /** Time passes, after which the cron handler takes over. */
  const unfinished = () =>
    api.rows(`SELECT id FROM sign_ups WHERE status <> 'trialing'
              UNION ALL SELECT key FROM outbox WHERE state <> 'sent' AND kind <> 'trial-ending'`);
  for (let runs = 0; runs < 10 && unfinished().length > 0; runs += 1) {
    vi.setSystemTime(Date.now() + 10 * 60_000);
    api.rows("UPDATE sign_ups SET check_at = ? WHERE status IN ('pending', 'card_set_up')", new Date().toISOString());
    await inTime(api.runScheduled().catch(() => undefined));
  }
  const { model, rows } = api;
  return {
    steps,
    left: {
      signUps: rows("SELECT status FROM sign_ups"),
      messages: rows("SELECT kind, state FROM outbox ORDER BY kind"),
      sent: [...sent.values()].sort(),
      customers: model.all("customer").filter(({ deleted }) => !deleted).length,
      setupIntents: model.all("setup_intent").length,
      subscriptions: model.all("subscription").map(({ status }) => status),
    },
  };
}

const ONE_SIGN_UP = {
  signUps: [{ status: "trialing" }],
  messages: [
    { kind: "account-created", state: "sent" },
    { kind: "trial-ending", state: "due" },
    { kind: "trial-started", state: "sent" },
  ],
  sent: ["/console/webhook", "/emails"],
  customers: 1,
  setupIntents: 1,
  subscriptions: ["trialing"],
};

test("whichever step fails once, in whatever way, a sign-up ends with one trial, one email and one account webhook", async () => {
  for (const delay of ["getInitialNetworkRetryDelay", "getMaxNetworkRetryDelay"] as const)
    vi.spyOn(Stripe.prototype, delay).mockReturnValue(0.01);
  const { steps, left } = await live();
  expect(left).toEqual(ONE_SIGN_UP);
  expect(steps.length).toBeGreaterThan(25);
  for (const [at, step] of steps.entries()) {
    for (const way of waysOf(step)) {
      const lived = await live({ at, way }).catch((error: unknown) => ({ left: error }));
      expect(lived.left, `${way}: step ${at}, ${step.what}`).toEqual(ONE_SIGN_UP);
    }
  }
}, 120_000);
