import { afterEach, expect, test, vi } from "vitest";
import { apiInProcess } from "../../../support/api-in-process/api";
import { times, validRequest } from "../../../support/visitors/visitor";

/* Whether somebody can use up the sign-ups of somebody else's address. */

afterEach(() => {
  vi.restoreAllMocks();
});

const LIMITS = { SIGN_UPS_PER_EMAIL_A_DAY: "3", SIGN_UPS_PER_SENDER_A_DAY: "5", ONE_TRIAL_PER_PERSON: "true" };

function newApi() {
  const { ask, rows } = apiInProcess({ settings: LIMITS });
  return {
    rows,
    signUp: (email: string, sender: string) =>
      ask(
        "/subscription",
        {
          method: "POST",
          headers: { "content-type": "application/json", "subscription-sender": sender },
          body: JSON.stringify({ ...validRequest, email }),
        },
        "site",
      ),
  };
}

test("a victim's mailbox used up by three senders is used up in their network alone; the victim signs up [H3]", async () => {
  const { signUp } = newApi();
  const statuses: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    statuses.push((await signUp(`victim+${index}@example.com`, `192.0.2.${index % 3}`)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
  expect((await signUp("victim@example.com", "198.51.100.1")).status).toBe(200);
});

test("a /48 that changes its /64 each time is one network [H3]", async () => {
  const { signUp } = newApi();
  const statuses: number[] = [];
  for (let index = 0; index < 4; index += 1) {
    statuses.push((await signUp("victim@example.com", `2001:db8:0:${index}::/64`)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("sign-ups are counted exactly, however many come at once [H3]", async () => {
  const { signUp, rows } = newApi();
  const statuses = await times(20, async (index) => (await signUp("rush@example.com", `192.0.2.${index}`)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(17);
  expect(rows("SELECT id FROM sign_ups")).toHaveLength(3);
});

test("a sender who is refused for the day uses up no one's address, also in the same network [H3]", async () => {
  const { signUp, rows } = newApi();
  for (let index = 0; index < 5; index += 1) await signUp(`own-${index}@example.com`, "192.0.2.1");
  const before = rows("SELECT day, hash, n FROM sign_up_counts ORDER BY hash");
  for (let index = 0; index < 20; index += 1) {
    expect((await signUp("victim@example.com", "192.0.2.1")).status).toBe(429);
  }
  expect(rows("SELECT day, hash, n FROM sign_up_counts ORDER BY hash")).toEqual(before);
  expect((await signUp("victim@example.com", "192.0.2.2")).status).toBe(200);
});

test("who is refused for the day is told to come back tomorrow [H3]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-22T22:00:00Z") });
  const { signUp } = newApi();
  for (let index = 0; index < 3; index += 1) await signUp("ada@example.com", "192.0.2.1");
  const refused = await signUp("ada@example.com", "192.0.2.1");
  vi.useRealTimers();
  expect(refused.headers.get("retry-after")).toBe("7200");
  expect(await refused.json()).toMatchObject({
    title: "Too many sign-ups today",
    detail: "Try again tomorrow, after midnight UTC.",
  });
});
