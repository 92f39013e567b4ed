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
    name: string;
    answer: () => Response | Promise<Response>;
    /** The page's. */
    status: number;
    title?: string;
    message: string;
    actions?: string[];
    log: [event: string, fields: object];
  }
  const SUPPORT = { actions: ["support"] };
  const rejects = (status: number) => () => new Response("secret text", { status });

  const rejected = (status: number, message: string, more: Partial<Failure> = {}): Failure => ({
    name: String(status),
    answer: rejects(status),
    status: 502,
    message,
    log: ["signup_failed", { outcome: "rejected", cause: "status", status }],
    ...more,
  });
  /** A failure of this visitor's data. */
  const refused = (status: number): Partial<Failure> => ({
    status,
    log: ["signup_refused", { outcome: "rejected", cause: "status", status }],
  });
  const FAILURES: Failure[] = [
    rejected(400, "Invalid subscription data. Please check your information and try again.", { status: 400 }),
    rejected(401, "Authentication required. Please refresh the page and try again."),
    rejected(403, "Access forbidden. Please contact support.", SUPPORT),
    rejected(404, "Subscription service not found. Please contact support.", SUPPORT),
    rejected(409, "A subscription with this information already exists.", {
      ...refused(409),
      actions: ["console", "support"],
    }),
    rejected(422, "Invalid subscription information. Please check your details.", refused(422)),
    rejected(429, "Too many requests. Please wait a moment and try again.", { status: 429 }),
    rejected(500, "Server error. Please try again later or contact support.", SUPPORT),
    rejected(503, "Service temporarily unavailable. Please try again later.", { status: 503 }),
    rejected(307, "Server error (307). Please try again later."),
    rejected(418, "Server error (418). Please try again later."),
    {
      name: "no client_secret",
      answer: () => Response.json({}),
      status: 502,
      title: "Configuration Error",
      message: "Payment setup failed. Please contact support.",
      ...SUPPORT,
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
      message: "Unable to connect to the API server. Please check your connection and try again.",
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

  test.each(FAILURES)(
    "gets another nonce only after a 409, whose key stays refused: $name",
    async ({ name, answer }) => {
      expect((await submit(answer)).newNonce).toBe(name === "409");
    },
  );
});
