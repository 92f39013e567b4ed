import { describe, expect, test } from "vitest";
import { stopClock } from "../../support/clock";
import { fields, typed } from "../../support/person";
import { post, siteContext } from "../../support/site-in-process/site-context";
import { SESSIONS } from "./sessions";

/* A form that the API does not take: the page, what it keeps, and the log line. */

stopClock();

const { card } = SESSIONS;
const returnedForm = { initialValue: expect.objectContaining(typed) };

describe("a form that the API does not take", () => {
  interface Failure {
    answer: () => Response | Promise<Response>;
    /** The page's. */
    status: number;
    title?: string;
    message: string;
    actions?: string[];
    log: [event: string, fields: object];
  }
  const rejects = (status: number) => () => new Response("secret text", { status });
  const rejected = (status: number, event = "signup_failed"): [string, object] => [
    event,
    { outcome: "rejected", cause: "status", status },
  ];
  const CONNECTION = "Unable to connect to the API server. Please check your connection and try again.";

  const FAILURES: (Failure & { name: string })[] = [
    {
      name: "400",
      answer: rejects(400),
      status: 400,
      message: "Invalid subscription data. Please check your information and try again.",
      log: rejected(400),
    },
    {
      name: "401",
      answer: rejects(401),
      status: 502,
      message: "Authentication required. Please refresh the page and try again.",
      log: rejected(401),
    },
    {
      name: "403",
      answer: rejects(403),
      status: 502,
      message: "Access forbidden. Please contact support.",
      actions: ["support"],
      log: rejected(403),
    },
    {
      name: "404",
      answer: rejects(404),
      status: 502,
      message: "Subscription service not found. Please contact support.",
      actions: ["support"],
      log: rejected(404),
    },
    {
      name: "409",
      answer: rejects(409),
      status: 409,
      message: "A subscription with this information already exists.",
      actions: ["console", "support"],
      log: rejected(409, "signup_refused"),
    },
    {
      name: "422",
      answer: rejects(422),
      status: 422,
      message: "Invalid subscription information. Please check your details.",
      log: rejected(422, "signup_refused"),
    },
    {
      name: "429",
      answer: rejects(429),
      status: 429,
      message: "Too many requests. Please wait a moment and try again.",
      log: rejected(429),
    },
    {
      name: "500",
      answer: rejects(500),
      status: 502,
      message: "Server error. Please try again later or contact support.",
      actions: ["support"],
      log: rejected(500),
    },
    {
      name: "503",
      answer: rejects(503),
      status: 503,
      message: "Service temporarily unavailable. Please try again later.",
      log: rejected(503),
    },
    {
      name: "307",
      answer: rejects(307),
      status: 502,
      message: "Server error (307). Please try again later.",
      log: rejected(307),
    },
    {
      name: "418",
      answer: rejects(418),
      status: 502,
      message: "Server error (418). Please try again later.",
      log: rejected(418),
    },
    {
      name: "no client_secret",
      answer: () => Response.json({}),
      status: 502,
      title: "Configuration Error",
      message: "Payment setup failed. Please contact support.",
      actions: ["support"],
      log: ["signup_failed", { outcome: "misconfigured", cause: "answer" }],
    },
    {
      name: "incomplete JSON",
      answer: () => new Response('{"secret text'),
      status: 502,
      message: "An unexpected error occurred. Please try again.",
      log: ["signup_failed", { outcome: "unintelligible", cause: "answer" }],
    },
    {
      name: "no answer",
      answer: () => Promise.reject(new TypeError("fetch failed")),
      status: 502,
      title: "Connection Failed",
      message: CONNECTION,
      log: ["signup_failed", { outcome: "unreachable", cause: "connection" }],
    },
  ];

  async function submit(answer: Failure["answer"]) {
    const site = siteContext();
    site.api.answer = answer;
    return { site, ...(await post(site, fields, { session: card })) };
  }

  test.each(FAILURES)("is answered with the catalog's notice: $name", async (failure) => {
    const { title = "Submission Failed", message, actions } = failure;
    const answer = await submit(failure.answer);
    expect(answer).toHaveStatus(failure.status);
    expect(answer).toShowNotice(title, message);
    expect(answer.reply?.notice).toMatchObject({ kind: "destructive", message });
    expect(answer.reply?.notice?.actions).toEqual(actions);
  });

  test.each(FAILURES)(
    "comes back with its values and request ID, and never with the API's words: $name",
    async ({ answer }) => {
      const { reply } = await submit(answer);
      expect(reply).toMatchObject({ form: returnedForm, requestId: "this-request" });
      expect(JSON.stringify(reply)).not.toContain("secret text");
    },
  );

  test.each(FAILURES)("leaves an earlier sign-up alone: $name", async ({ answer }) => {
    expect((await submit(answer)).session).toBeUndefined();
  });

  test.each(FAILURES)("is one line of the log: $name", async ({ answer, log }) => {
    expect((await submit(answer)).site.logged).toEqual([log]);
  });

  test("gets another nonce after a 409: nothing can begin under its key", async () => {
    expect((await submit(rejects(409))).newNonce).toBe(true);
  });

  test.each(FAILURES.filter(({ name }) => name !== "409"))(
    "keeps its nonce for the next try: $name",
    async ({ answer }) => {
      expect((await submit(answer)).newNonce).toBe(false);
    },
  );
});
