import { expect, test, vi } from "vitest";
import { PASSWORD_LIMITS, passwordLimiter } from "../../../../functions/subscription-api/passwords/password-limiter";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { cheapPasswords } from "../../../support/cheap-passwords";
import { NOW, stopClock } from "../../../support/clock";

stopClock();

/** A limiter that so many requests have asked for a slot, and the slots that they got. */
function limiterWith(requests: number) {
  const limiter = passwordLimiter(cheapPasswords, PASSWORD_LIMITS);
  const slots = Array.from({ length: requests }, () => limiter.acquire()).filter((slot) => slot !== undefined);
  return { limiter, slots };
}

test("at most 40 passwords wait", () => {
  expect(limiterWith(41).slots).toHaveLength(40);
});

test("a released slot is free for another request", () => {
  const { limiter, slots } = limiterWith(40);
  slots[0]?.release();
  expect(limiter.acquire()).toBeDefined();
  expect(limiter.acquire()).toBeUndefined();
});

test.each([
  { after: 7_999, free: 0 },
  { after: 8_000, free: 40 },
])("slots that were never released are all free after eight seconds: $free after $after ms", ({ after, free }) => {
  const { limiter } = limiterWith(40);
  vi.setSystemTime(NOW + after);
  const slots = Array.from({ length: 41 }, () => limiter.acquire());
  expect(slots.filter((slot) => slot !== undefined)).toHaveLength(free);
});

test.each([
  { after: 7_999, isHashed: true },
  { after: 8_000, isHashed: false },
])(
  "a request that has waited for $after ms has its password hashed and verified: $isHashed",
  async ({ after, isHashed }) => {
    const { slots } = limiterWith(1);
    vi.setSystemTime(NOW + after);
    expect((await slots[0]?.hash("a password")) !== undefined).toBe(isHashed);
    expect((await slots[0]?.verify("a password", "a hash")) !== undefined).toBe(isHashed);
  },
);

/** A deployment's API in which 40 sign-ups wait for their passwords' hashes. */
async function withFullQueue() {
  const waiting: (() => void)[] = [];
  let onFull = () => {};
  const isFull = new Promise<void>((resolve) => (onFull = resolve));
  const hash = () =>
    new Promise<string>((resolve) => {
      waiting.push(() => resolve("a hash"));
      if (waiting.length === 40) onFull();
    });
  const api = apiInProcess({ settings: DEPLOYED, passwords: { ...cheapPasswords, hash } });
  const sent = Array.from({ length: 40 }, (_, each) => api.post({ email: `${each}@example.com` }));
  await isFull;
  return {
    ...api,
    async finish() {
      for (const end of waiting) end();
      await Promise.all(sent);
      await api.settled();
    },
  };
}

test("a sign-up for which no slot is free is asked to come again in five seconds", async () => {
  const { post, finish } = await withFullQueue();
  const refused = await post({ email: "late@example.com" });
  expect(refused).toBeProblem(503, "Too many sign-ups at once");
  expect(refused).toHaveHeader("Retry-After", "5");
  await finish();
});

test("a sign-up for which no slot is free stores nothing", async () => {
  const { post, rows, finish } = await withFullQueue();
  await post({ email: "late@example.com" });
  await finish();
  expect(rows("SELECT id FROM sign_ups WHERE email = 'late@example.com'")).toEqual([]);
});

test("a sign-up for which no slot is free is logged", async () => {
  const { post, logged, finish } = await withFullQueue();
  await post({ email: "late@example.com" });
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "sign_ups_busy" }));
  await finish();
});

test.each([
  { how: "is accepted", status: 200, hash: cheapPasswords.hash },
  { how: "fails", status: 500, hash: () => Promise.reject(new Error("out of memory")) },
])("a sign-up that $how releases its slot", async ({ status, hash }) => {
  const { post, settled } = apiInProcess({ settings: DEPLOYED, passwords: { ...cheapPasswords, hash } });
  for (let each = 0; each < 41; each += 1) expect(await post({ email: `${each}@example.com` })).toHaveStatus(status);
  await settled();
});
