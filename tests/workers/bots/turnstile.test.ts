import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openForm } from "../../support/visitors/form-page";
import {
  type Answer,
  logged,
  nonceIn,
  SECRET,
  type SiteVisitor,
  siteVisitor,
} from "../../support/visitors/site-visitor";
import { ORIGIN, startDeployedSite } from "../../support/workers/deployed-site";
import { type RunningWorker, siteLimits } from "../../support/workers/workers";

/* Turnstile beside the button, where the operator has set its keys. A stand-in answers for Cloudflare. */

const VERIFY = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const SITE_KEY = "0x4AAAAAAA_site_key_of_the_tests";
const SECRET_KEY = "0x4AAAAAAA_secret_key_of_the_tests";
const limits = (total: number) => ({
  ratelimits: { ...siteLimits(1_000_000), SIGNUP_TOTAL_RATE_LIMIT: { simple: { limit: total, period: 60 as const } } },
});

let site: RunningWorker;
let visitor: SiteVisitor;
let verified: URLSearchParams[] = [];
let created = 0;
let answer: () => Response | Promise<Response>;

beforeAll(async () => {
  const options = { vars: { TURNSTILE_SITE_KEY: SITE_KEY, TURNSTILE_SECRET_KEY: SECRET_KEY } };
  site = await startDeployedSite(elsewhere, options);
  visitor = siteVisitor(site, ORIGIN);
  return site.dispose;
});

beforeEach(() => {
  verified = [];
  created = 0;
  answer = () => Response.json({ success: true });
});

async function elsewhere(request: Request): Promise<Response> {
  if (request.url === VERIFY) {
    verified.push(new URLSearchParams(await request.text()));
    return answer();
  }
  created += 1;
  return Response.json({ client_secret: SECRET });
}

/** Presses the button under a form that was asked about. */
async function press(token?: string, through = visitor): Promise<Answer> {
  const form = { form_nonce: nonceIn(await through.get("/subscription")), website: "x" };
  const asked = await through.submit(form);
  expect(asked.status).toBe(422);
  const button = openForm(asked).document.querySelector<HTMLButtonElement>("button[name=confirmation]");
  const response: Record<string, string> = token === undefined ? {} : { "cf-turnstile-response": token };
  return through.submit({ ...form, confirmation: button?.value ?? "", ...response });
}

test("a token that Turnstile knows lets the form through; Turnstile learns nothing of the visitor [H25]", async () => {
  expect((await press("a-token")).status).toBe(303);
  expect(verified.map((sent) => [...sent])).toEqual([
    [
      ["secret", SECRET_KEY],
      ["response", "a-token"],
    ],
  ]);
  expect(created).toBe(1);
});

test("a token that Turnstile refuses, or one of 3,000 characters, brings the form back [H25]", async () => {
  answer = () => Response.json({ success: false, "error-codes": ["invalid-input-response"] });
  expect((await press("a-token")).status).toBe(422);
  expect((await press("x".repeat(3_000))).status).toBe(422);
  expect(verified).toHaveLength(1);
  expect(created).toBe(0);
});

test("the button counts alone for visitors without a script [H25]", async () => {
  expect((await press()).status).toBe(303);
  expect(verified).toHaveLength(0);
});

test.each<[what: string, answer: () => Response | Promise<Response>]>([
  ["never answers", () => new Promise(() => undefined)],
  ["answers with 1 MB", () => new Response(`{"success":false,"x":"${"x".repeat(1024 * 1024)}"}`)],
])(
  "where Turnstile %s, the button counts alone, and the log says so [H25]",
  async (_, as) => {
    answer = as;
    site.logs.length = 0;
    const started = performance.now();
    expect((await press("a-token")).status).toBe(303);
    expect(performance.now() - started).toBeLessThan(6_000);
    expect(created).toBe(1);
    await expect.poll(() => site.logs.filter(({ event }) => event === "turnstile_failed")).toHaveLength(1);
  },
  15_000,
);

test("its secret key is in no answer and no log, and its host in the policy of the sign-up alone [H25]", async () => {
  await press("a-token");
  expect(visitor.received.join("\n") + logged(site)).not.toContain(SECRET_KEY);
  const policyOf = async (path: string) => (await visitor.get(path)).headers.get("Content-Security-Policy") ?? "";
  const policy = await policyOf("/subscription");
  for (const directive of ["script-src", "frame-src"]) {
    expect(policy).toMatch(new RegExp(`${directive} [^;]*https://challenges\\.cloudflare\\.com(?![^; ])`));
  }
  for (const path of ["/", "/pricing", "/nothing-here"]) expect(await policyOf(path)).not.toContain("challenges");
});

describe("when the button was pressed too often", () => {
  test("whom Turnstile lets through still goes on [H25]", async () => {
    const vars = { TURNSTILE_SITE_KEY: SITE_KEY, TURNSTILE_SECRET_KEY: SECRET_KEY };
    const busy = await startDeployedSite(elsewhere, { vars, miniflare: limits(1) });
    const another = siteVisitor(busy, ORIGIN);
    expect((await press(undefined, another)).status).toBe(303);
    expect((await press(undefined, another)).status).toBe(429);
    expect((await press("a-token", another)).status).toBe(303);
    await busy.dispose();
  });
});
