import { beforeAll, describe, expect, test } from "vitest";
import { rows, signUp, times, validRequest } from "../../support/visitors/visitor";
import { FAST_API } from "../../support/workers/fast-api";
import { type RunningWorker, startBackend } from "../../support/workers/workers";

describe("sign-ups a day", () => {
  let api: RunningWorker;
  beforeAll(async () => {
    const vars = { SIGN_UPS_PER_EMAIL_A_DAY: "3", ONE_TRIAL_PER_PERSON: "true" };
    const backend = await startBackend({ ...FAST_API, vars });
    ({ api } = backend);
    return backend.dispose;
  });

  test("of one mailbox are bounded: the next is a 429 that says when to come back, and nothing is stored or hashed [H3]", async () => {
    for (const email of ["busy@example.com", "busy+2@example.com", "busy@example.com"]) {
      expect((await signUp(api, { email }, `key-${email}-${crypto.randomUUID()}`)).status).toBe(200);
    }
    const body = JSON.stringify({ ...validRequest, email: "busy+4@example.com" });
    const refused = await fetch(`${api.url}/subscription`, {
      method: "POST",
      headers: { "content-type": "application/json", connection: "close" },
      body,
    });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(24 * 60 * 60);
    expect(await refused.json()).toMatchObject({ title: "Too many sign-ups today" });
    expect(await rows(api, "SELECT 1 FROM sign_ups WHERE email LIKE 'busy%'")).toHaveLength(3);
    expect((await signUp(api, { email: "calm@example.com" })).status).toBe(200);
  });

  test("are counted exactly, however many come at once [H3]", async () => {
    const answers = await times(20, () => signUp(api, { email: "rush@example.com" }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
  });
});
