import { expect, test, vi } from "vitest";
import { scryptPasswords } from "../../../functions/subscription-api/sign-ups/password/password";
import { PASSWORD_LIMITS, passwordQueue } from "../../../functions/subscription-api/sign-ups/password/password-queue";
import { apiInProcess } from "../../support/api-in-process/api";
import { stopClock } from "../../support/api-in-process/clock";
import { DEPLOYED } from "../../support/api-in-process/settings";
import { cheapPasswords } from "../../support/cheap-passwords";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
stopClock(NOW);

// Made with Python's hashlib.scrypt: n=2**14, r=8, p=5, dklen=32, the salt being the bytes 0 to 15.
const GOLDEN = "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$M/1p+B6du+oPtXKcYadGelZape4nIHDuDbbxfcH0PzY";

test("a password is hashed with scrypt at N=2^14, r=8, p=5 and a salt of its own, and verified byte for byte", async () => {
  const passwords = scryptPasswords();
  expect(await passwords.verify("Corréct-h0rse", GOLDEN)).toBe(true);
  expect(await passwords.verify("Corréct-h0rsE", GOLDEN)).toBe(false);
  const [first, second] = await Promise.all([passwords.hash(" Aa1!aaaa "), passwords.hash(" Aa1!aaaa ")]);
  expect(first).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(second).not.toBe(first);
  expect(await passwords.verify(" Aa1!aaaa ", first)).toBe(true);
  expect(await passwords.verify("Aa1!aaaa", first)).toBe(false);
});

test("a stored text that is no hash throws, and never verifies", async () => {
  for (const stored of ["plain", GOLDEN.replace("ln=", "n="), `${GOLDEN}$`, `a ${GOLDEN}`, GOLDEN.replace("14", "0")])
    await expect(scryptPasswords().verify("Corréct-h0rse", stored), stored).rejects.toThrow();
});

/** Places for so many requests of each sender; how many senders got one. */
function taken(requests: Record<string, number>) {
  const queue = passwordQueue(cheapPasswords, PASSWORD_LIMITS);
  const enter = (sender: string) => queue.enter(sender);
  const places = Object.entries(requests).map(([sender, count]) => Array.from({ length: count }, () => enter(sender)));
  return { enter, places, counts: places.map((own) => own.filter((place) => place !== undefined).length) };
}

test("at most 40 passwords wait, 30 of them of one sender", () => {
  expect(taken({ one: 31 }).counts).toEqual([30]);
  expect(taken({ one: 31, another: 11 }).counts).toEqual([30, 10]);
  expect(taken({ one: 20, another: 20, third: 1 }).counts).toEqual([20, 20, 0]);
});

test("a place is free again when its request leaves, and after eight seconds in any case", async () => {
  const { enter, places } = taken({ one: 30 });
  expect(enter("one")).toBeUndefined();
  places[0]?.[0]?.leave();
  expect(enter("one")).toBeDefined();
  vi.setSystemTime(NOW + 7_999);
  const waiting = places[0]?.[1];
  expect(enter("one")).toBeUndefined();
  expect(await waiting?.hash("a password")).toBeDefined();
  vi.setSystemTime(NOW + 8_000);
  // Its visitor has gone: nothing is hashed for them.
  expect(await waiting?.hash("a password")).toBeUndefined();
  expect(await waiting?.verify("a password", "a hash")).toBeUndefined();
  expect(enter("one")).toBeDefined();
});

test("a sign-up without a place is asked to come again in five seconds, and stores nothing", async () => {
  let finish = () => {};
  const gate = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const hash = (password: string) => gate.then(() => cheapPasswords.hash(password));
  const { post, rows, settled, logged } = apiInProcess({ settings: DEPLOYED, passwords: { ...cheapPasswords, hash } });
  const hasAnswered = vi.fn();
  const first = Array.from({ length: 30 }, async (_, index) => {
    const answer = await post({ email: `${index}@example.com` });
    hasAnswered();
    return answer.status;
  });
  const refused = await post({ email: "late@example.com" });
  expect([refused.status, refused.headers.get("retry-after"), hasAnswered.mock.calls.length]).toEqual([503, "5", 0]);
  expect(logged).toContainEqual(expect.objectContaining({ level: "warn", event: "sign_ups_busy" }));
  finish();
  expect(await Promise.all(first)).toEqual(Array(30).fill(200));
  expect(rows("SELECT count(*) AS n FROM sign_ups")).toEqual([{ n: 30 }]);
  expect((await post({ email: "late@example.com" })).status).toBe(200);
  await settled();
});

test("a sign-up that fails leaves its place", async () => {
  const passwords = { ...cheapPasswords, hash: () => Promise.reject(new Error("out of memory")) };
  const { post } = apiInProcess({ settings: DEPLOYED, passwords });
  for (let each = 0; each < 31; each += 1) expect((await post({ email: `${each}@example.com` })).status).toBe(500);
});
