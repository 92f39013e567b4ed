import { expect, test, vi } from "vitest";
import { PASSWORD_LIMITS, passwordLimiter } from "../../../../functions/subscription-api/passwords/password-limiter";
import { scryptPasswords } from "../../../../functions/subscription-api/passwords/scrypt";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DEPLOYED } from "../../../support/api-in-process/settings";
import { cheapPasswords } from "../../../support/cheap-passwords";
import { NOW, stopClock } from "../../../support/clock";

stopClock();

// Made with Python's hashlib.scrypt: n=2**14, r=8, p=5, dklen=32; the salt is the bytes 0 to 15.
const GOLDEN = "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$M/1p+B6du+oPtXKcYadGelZape4nIHDuDbbxfcH0PzY";
const CHEAP = "$scrypt$ln=1,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$QUSwiU4X+MHZzAM/16T8Vt1+uvN8Qbk6N3CiJ3kTcKs";
const TYPED = "Corréct-h0rse";

test("a hash is a PHC string of scrypt with N=2^14, r=8, p=5, a 32-byte key and a new salt of 16 bytes", async () => {
  const typed = ` ${TYPED} `;
  const stored = await Promise.all([scryptPasswords.hash(typed.normalize("NFD")), scryptPasswords.hash(typed)]);
  for (const hash of stored) {
    expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await scryptPasswords.verify(typed, hash)).toBe(true);
  }
  expect(stored[0]).not.toBe(stored[1]);
});

test.each([
  { what: "its password, decomposed", password: TYPED.normalize("NFD"), stored: GOLDEN, verified: true },
  { what: "the password with a space", password: `${TYPED} `, stored: GOLDEN, verified: false },
  { what: "its password at a lower cost", password: TYPED, stored: CHEAP, verified: true },
])("a stored hash and $what are verified: $verified", async ({ password, stored, verified }) => {
  expect(await scryptPasswords.verify(password, stored)).toBe(verified);
  await expect(scryptPasswords.verify(password, `${stored}$`)).rejects.toThrow("not readable");
});

test("at most 40 passwords wait, for eight seconds; then none is hashed or verified, and slots are free", async () => {
  const limiter = passwordLimiter(cheapPasswords, PASSWORD_LIMITS);
  /** The slots that are free, which are then taken. */
  const takeAll = () => Array.from({ length: 41 }, () => limiter.acquire()).filter((slot) => slot !== undefined);
  const slots = takeAll();
  expect(slots).toHaveLength(40);
  slots[0]?.release();
  expect(takeAll(), "after a release").toHaveLength(1);
  const work = () => Promise.all([slots[1]?.hash("a password"), slots[1]?.verify("a password", "a hash")]);
  vi.setSystemTime(NOW + 7_999);
  expect(await work()).toEqual([expect.any(String), expect.any(Boolean)]);
  expect(takeAll(), "before eight seconds").toHaveLength(0);
  vi.setSystemTime(NOW + 8_000);
  expect(await work()).toEqual([undefined, undefined]);
  expect(takeAll(), "after eight seconds").toHaveLength(40);
});

test("a sign-up without a free slot is asked to come again in five seconds, logged and not stored; success and failure free slots", async () => {
  const waiting: { resolve: (hash: string) => void; reject: (error: Error) => void }[] = [];
  const hash = () => new Promise<string>((resolve, reject) => void waiting.push({ resolve, reject }));
  const { post, settled, rows, logged } = apiInProcess({ settings: DEPLOYED, passwords: { ...cheapPasswords, hash } });
  for (const status of [200, 500, 200]) {
    const sent = Array.from({ length: 40 }, (_, each) => post({ email: `${each}@example.com` }));
    await vi.waitFor(() => expect(waiting).toHaveLength(40));
    const refused = await post({ email: "late@example.com" });
    expect(refused).toBeProblem(503, "Too many sign-ups at once");
    expect(refused).toHaveHeader("Retry-After", "5");
    expect(logged.at(-2)).toMatchObject({ level: "warn", event: "sign_ups_busy" });
    for (const { resolve, reject } of waiting.splice(0))
      status === 200 ? resolve("a hash") : reject(new Error("out of memory"));
    expect(new Set((await Promise.all(sent)).map((answer) => answer.status))).toEqual(new Set([status]));
  }
  await settled();
  expect(rows("SELECT id FROM sign_ups WHERE email = 'late@example.com'")).toEqual([]);
});
