import { expect, test, vi } from "vitest";
import { PASSWORD_LIMITS, passwordQueue } from "../../../../functions/subscription-api/passwords/password-queue";
import { scryptPasswords } from "../../../../functions/subscription-api/passwords/scrypt";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { cheapPasswords } from "../../../support/cheap-passwords";
import { NOW, stopClock } from "../../../support/clock";

stopClock();

// Made with Python's hashlib.scrypt: n=2**14, r=8, p=5, dklen=32, the salt being the bytes 0 to 15.
const GOLDEN = "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$M/1p+B6du+oPtXKcYadGelZape4nIHDuDbbxfcH0PzY";

test("a password is hashed with scrypt at N=2^14, r=8, p=5 and a salt of its own, and verified byte for byte", async () => {
  const passwords = scryptPasswords();
  expect(await passwords.verify("Corréct-h0rse", GOLDEN)).toBe(true);
  expect(await passwords.verify("Corréct-h0rsE", GOLDEN)).toBe(false);
  for (const other of ["plain", `${GOLDEN}$`]) await expect(passwords.verify("a", other), other).rejects.toThrow();
  const [first, second] = await Promise.all([passwords.hash(" Aa1!aaaa "), passwords.hash(" Aa1!aaaa ")]);
  expect(first).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(second).not.toBe(first);
  expect(await passwords.verify(" Aa1!aaaa ", first)).toBe(true);
  expect(await passwords.verify("Aa1!aaaa", first)).toBe(false);
});

/** A queue in which so many requests of a sender wait, and the places that they got. */
function queueWith(requests: Record<string, number>) {
  const queue = passwordQueue(cheapPasswords, PASSWORD_LIMITS);
  const senders = Object.entries(requests).flatMap(([sender, count]) => Array<string>(count).fill(sender));
  return { queue, places: senders.flatMap((sender) => queue.enter(sender) ?? []) };
}

test("at most 40 passwords wait, 30 of them of one sender", () => {
  const places = (requests: Record<string, number>) => queueWith(requests).places.length;
  expect([places({ one: 31 }), places({ one: 31, two: 11 }), places({ one: 20, two: 20, three: 1 })]).toEqual([
    30, 40, 40,
  ]);
});

test("a place is free again when its request leaves, and after eight seconds in any case", async () => {
  const { queue, places } = queueWith({ one: 30 });
  const [leaving, waiting] = places;
  leaving?.leave();
  expect(queue.enter("one")).toBeDefined();
  vi.setSystemTime(NOW + 7_999);
  expect(queue.enter("one")).toBeUndefined();
  expect(await waiting?.hash("a password")).toBeDefined();
  vi.setSystemTime(NOW + 8_000);
  // Its visitor has gone: nothing is hashed for them.
  expect(await waiting?.hash("a password")).toBeUndefined();
  expect(await waiting?.verify("a password", "a hash")).toBeUndefined();
  expect(queue.enter("one")).toBeDefined();
});

test("a sign-up without a place is asked to come again in five seconds, and stores nothing", async () => {
  const waiting: (() => void)[] = [];
  const hash = () => new Promise<string>((resolve) => waiting.push(() => resolve("a hash")));
  const { post, rows, settled, logged } = apiInProcess({ settings: DEPLOYED, passwords: { ...cheapPasswords, hash } });
  for (let each = 0; each < 30; each += 1) void post({ email: `${each}@example.com` });
  const refused = await post({ email: "late@example.com" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "sign_ups_busy" }));
  expect([waiting.length, rows("SELECT id FROM sign_ups")]).toEqual([30, []]);
  for (const finish of waiting) finish();
  await settled();
});

test.each([
  [200, cheapPasswords.hash],
  [500, () => Promise.reject(new Error("out of memory"))],
])("a sign-up that ends with %i leaves its place", async (status, hash) => {
  const { post, settled } = apiInProcess({ settings: DEPLOYED, passwords: { ...cheapPasswords, hash } });
  for (let each = 0; each < 31; each += 1) expect((await post({ email: `${each}@example.com` })).status).toBe(status);
  await settled();
});
