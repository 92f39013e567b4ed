import { afterAll, beforeEach, expect, test } from "vitest";
import { readForm } from "../../support/visitors/page";
import { type Answer, logged, nonceIn, SECRET, siteVisitor } from "../../support/visitors/site-visitor";
import { ORIGIN, startDeployedSite } from "../../support/workers/deployed-site";

/* Turnstile beside the button, where the operator has set its keys. A stand-in answers for Cloudflare. */

const VERIFY = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const SITE_KEY = "0x4AAAAAAA_site_key_of_the_tests";
const SECRET_KEY = "0x4AAAAAAA_secret_key_of_the_tests";

let verified: URLSearchParams[] = [];
let created = 0;
let answer: () => Response | Promise<Response>;

const vars = { TURNSTILE_SITE_KEY: SITE_KEY, TURNSTILE_SECRET_KEY: SECRET_KEY };
const site = await startDeployedSite(elsewhere, { vars });
afterAll(site.dispose);
const visitor = siteVisitor(site, ORIGIN);

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
async function press(token?: string): Promise<Answer> {
  const form = { form_nonce: nonceIn(await visitor.get("/subscription")), website: "x" };
  const asked = await visitor.submit(form);
  expect(asked.status).toBe(422);
  const button = readForm(asked).document.querySelector<HTMLButtonElement>("button[name=confirmation]");
  const response: Record<string, string> = token === undefined ? {} : { "cf-turnstile-response": token };
  return visitor.submit({ ...form, confirmation: button?.value ?? "", ...response });
}

test("a valid Turnstile token lets the form pass, and Turnstile receives nothing about the visitor [H25]", async () => {
  expect((await press("a-token")).status).toBe(303);
  expect(verified.map((sent) => [...sent])).toEqual([
    [
      ["secret", SECRET_KEY],
      ["response", "a-token"],
    ],
  ]);
  expect(created).toBe(1);
});

test("the form comes back if Turnstile refuses its token or the token has 3,000 characters [H25]", async () => {
  answer = () => Response.json({ success: false, "error-codes": ["invalid-input-response"] });
  expect((await press("a-token")).status).toBe(422);
  expect((await press("x".repeat(3_000))).status).toBe(422);
  expect(verified).toHaveLength(1);
  expect(created).toBe(0);
});

test("without JavaScript the challenge button is enough [H25]", async () => {
  expect((await press()).status).toBe(303);
  expect(verified).toHaveLength(0);
});

test("if Turnstile never answers, the challenge button is enough, and the log says so [H25]", async () => {
  answer = () => new Promise(() => undefined);
  site.logs.length = 0;
  const started = performance.now();
  expect((await press("a-token")).status).toBe(303);
  expect(performance.now() - started).toBeLessThan(6_000);
  expect(created).toBe(1);
  await expect.poll(() => site.logs.filter(({ event }) => event === "turnstile_failed")).toHaveLength(1);
}, 15_000);

test("Turnstile's secret key is in no response and no log, and its host is allowed on the sign-up pages only [H25]", async () => {
  await press("a-token");
  expect(visitor.received.join("\n") + logged(site)).not.toContain(SECRET_KEY);
  const policyOf = async (path: string) => (await visitor.get(path)).headers.get("Content-Security-Policy") ?? "";
  const policy = await policyOf("/subscription");
  for (const directive of ["script-src", "frame-src"]) {
    expect(policy).toMatch(new RegExp(`${directive} [^;]*https://challenges\\.cloudflare\\.com(?![^; ])`));
  }
  for (const path of ["/", "/pricing", "/nothing-here"]) expect(await policyOf(path)).not.toContain("challenges");
});
