import { beforeAll, describe, expect, it } from "vitest";
import { signUpCountsIn } from "../../../functions/subscription-api/limits/sign-up-counts";
import { fastApi } from "../../support/fast-api/build";
import { post, rows, signUp, times, validRequest } from "../../support/visitors/visitor";
import { type RunningWorker, runScheduled, startBackend } from "../../support/workers/workers";

describe("sign-ups a day", () => {
  let api: RunningWorker;
  beforeAll(async () => {
    const vars = { SIGN_UPS_PER_EMAIL_A_DAY: "3", ONE_TRIAL_PER_PERSON: "true" };
    const backend = await startBackend({ ...(await fastApi()), vars });
    ({ api } = backend);
    return backend.dispose;
  });

  it("of one mailbox are bounded: the next is a 429 that says when to come back, and nothing is stored or hashed [H3]", async () => {
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

  it("do not count the same form sent again, nor what is refused before", async () => {
    const answers = await times(5, () => signUp(api, { email: "retries@example.com" }, "retries"));
    for (let retry = 0; retry < 5; retry += 1) {
      expect((await signUp(api, { email: "retries@example.com" }, "retries")).status).toBe(200);
    }
    expect(answers.every(({ status }) => status === 200 || status === 409 || status === 429)).toBe(true);
    for (let mistake = 0; mistake < 5; mistake += 1) {
      expect((await signUp(api, { email: "typos@example.com", zipCode: "1" })).status).toBe(422);
    }
    expect((await signUp(api, { email: "typos@example.com" })).status).toBe(200);
  });

  it("are counted exactly, however many come at once [H3]", async () => {
    const answers = await times(20, () => signUp(api, { email: "rush@example.com" }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
  });

  it("keep no address and no sender, and are forgotten the day after [H3]", async () => {
    const kept = JSON.stringify(await rows(api, "SELECT * FROM sign_up_counts"));
    expect(kept).not.toMatch(/@|example|busy|rush/);
    await rows(api, "UPDATE sign_up_counts SET day = '2026-01-01'");
    expect((await signUp(api, { email: "rush@example.com" })).status).toBe(200);
    await runScheduled(api);
    expect(await rows(api, "SELECT DISTINCT day FROM sign_up_counts")).toEqual([
      { day: new Date().toISOString().slice(0, 10) },
    ]);
  });

  it("of one sender are bounded, whatever the address; the sender is kept as a hash of that day [H3]", async () => {
    const db: unknown = await api.mf.getD1Database("DB");
    const config = { hashSecret: "a secret", onePerPerson: false, signUpsPerDay: { email: 100, sender: 5 } };
    const counts = signUpCountsIn(db as Parameters<typeof signUpCountsIn>[0], config);
    const taken = await times(20, (index) => counts.take(`sender-${index}@example.com`, "2001:db8:1:2::/64"));
    expect(taken.filter(Boolean)).toHaveLength(5);
    expect(await counts.take("sender-0@example.com", "198.51.100.7")).toBe(true);
    expect(await counts.take("sender-0@example.com", undefined)).toBe(true);
    expect(JSON.stringify(await rows(api, "SELECT * FROM sign_up_counts"))).not.toMatch(/2001|198\.51/);
  });

  it("of one sender are bounded by a setting of their own, whatever it says of itself [H3] [H1]", async () => {
    const limited = await startBackend({ ...(await fastApi()), vars: { SIGN_UPS_PER_SENDER_A_DAY: "4" } });
    const from = async (sender: string, email: string) => {
      const body = JSON.stringify({ ...validRequest, email });
      const headers = {
        "content-type": "application/json",
        "cf-connecting-ip": sender,
        "subscription-sender": email.replace(/\W/g, ""),
      };
      return (await post(`${limited.api.url}/subscription`, body, headers)).status;
    };
    for (let n = 1; n <= 4; n += 1) expect(await from("192.0.2.1", `sender-${n}@example.com`)).toBe(200);
    expect(await from("192.0.2.1", "sender-5@example.com")).toBe(429);
    expect(await from("192.0.2.2", "sender-6@example.com")).toBe(200);
    await limited.dispose();
  });

  it("the local default takes them all: a plain post, again and again [H10]", async () => {
    const local = await startBackend(await fastApi());
    const send = () =>
      post(`${local.api.url}/subscription`, JSON.stringify(validRequest), { "content-type": "application/json" });
    // More than one sender may have under way at once.
    const answers = [...(await times(40, send)), ...(await times(20, send))];
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await local.dispose();
  });
});
