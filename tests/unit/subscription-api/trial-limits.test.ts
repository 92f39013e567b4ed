import { describe, expect, test, vi } from "vitest";
import { mailboxOf } from "../../../functions/subscription-api/limits/mailbox";
import { secondsLeftToday, signUpCountsIn } from "../../../functions/subscription-api/limits/sign-up-counts";
import { trialClaims } from "../../../functions/subscription-api/limits/trial-claims";
import { stopClock } from "../../support/api-in-process/clock";
import { databaseInMemory } from "../../support/api-in-process/database";
import { times } from "../../support/visitors/visitor";

const SETTINGS = { hashSecret: "a-secret", onePerPerson: true, signUpsPerDay: { email: 2, sender: 3, network: 9 } };

stopClock(Date.parse("2026-11-22T23:59:58.500Z"));

test.each([
  ["ada@example.com", "ada@example.com"],
  ["ada+trial@example.com", "ada@example.com"],
  ["ada+a+b@example.com", "ada@example.com"],
  ["+ada@example.com", "+ada@example.com"],
  ["a.d.a@example.com", "a.d.a@example.com"],
  ["a.d.a@gmail.com", "ada@gmail.com"],
  ["a.d.a+x@googlemail.com", "ada@gmail.com"],
  ['"a@b"@example.com', '"a@b"@example.com'],
])("%s belongs to the mailbox %s [H10]", (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
});

describe("trial claims", () => {
  const { of, emailsOf } = trialClaims(SETTINGS);

  test("hash the mailbox, the card and the address as typed [H10]", () => {
    const plain = of("ada@example.com", "card-1");
    const tagged = of("ada+x@example.com", "card-1");
    expect(tagged.email).toBe(plain.email);
    expect(tagged.card).toBe(plain.card);
    expect(plain.emails).toEqual([plain.email]);
    expect(tagged.emails).toHaveLength(2);
    expect(tagged.emails[0]).toBe(plain.email);
    expect(tagged.emails).toEqual(emailsOf("ada+x@example.com"));
    expect(new Set([...tagged.emails, tagged.card, of("bob@example.com", "card-2").email]).size).toBe(4);
    expect(of("ada@example.com", "card-2").card).not.toBe(plain.card);
    expect(of("ada@example.com", null).card).toBeNull();
  });

  test("hash only the address if one person may have several trials [H10]", () => {
    const many = trialClaims({ ...SETTINGS, onePerPerson: false });
    const tagged = many.of("ada+x@example.com", "card-1");
    expect(tagged).toEqual({ email: tagged.email, emails: [tagged.email], card: null });
    // Found again after a change of the setting.
    expect(emailsOf("ada+x@example.com")).toContain(tagged.email);
    expect(many.of("ada@example.com", null).email).toBe(of("ada@example.com", null).email);
  });

  test("have keyed hashes", () => {
    expect(trialClaims({ ...SETTINGS, hashSecret: "another" }).of("ada@example.com", "card-1")).not.toMatchObject({
      email: of("ada@example.com", "card-1").email,
    });
  });
});

describe("the daily limit on sign-ups", () => {
  test("counts by mailbox within a network and by client, until midnight UTC [H3]", async () => {
    const { db } = databaseInMemory();
    const { take } = signUpCountsIn(db, SETTINGS);
    const taken = [
      await take("ada@example.com", { sender: "192.0.2.1" }),
      await take("ada+x@example.com", { sender: "192.0.2.8" }),
      await take("ada+y@example.com", { sender: "192.0.2.9" }),
      await take("bob@example.com", { sender: "192.0.2.1" }),
      await take("carl@example.com", { sender: "192.0.2.1" }),
      await take("dora@example.com", { sender: "192.0.2.1" }),
      await take("dora@example.com", { sender: "192.0.2.2" }),
    ];
    expect(taken).toEqual(["taken", "taken", "too-many", "taken", "taken", "too-many", "taken"]);
    expect(secondsLeftToday()).toBe(2);
    vi.setSystemTime(Date.parse("2026-11-23T00:00:00.000Z"));
    expect(secondsLeftToday()).toBe(24 * 60 * 60);
    expect(await take("ada@example.com", { sender: "192.0.2.1" })).toBe("taken");
  });

  test.each([
    ["a /48", (index: number) => `2001:db8:7:${index}::/64`],
    ["a /24", (index: number) => `192.0.2.${index}`],
  ])("counts by %s until Turnstile has verified the visitor [H3]", async (_, rateLimitKeyOf) => {
    const { take } = signUpCountsIn(databaseInMemory().db, SETTINGS);
    const takeOne = (index: number, isVerified = false) =>
      take(`${index}@example.com`, { sender: rateLimitKeyOf(index), isVerified });
    expect(await takeOne(0, true)).toBe("taken");
    for (let index = 1; index <= 9; index += 1) expect(await takeOne(index)).toBe("taken");
    expect([await takeOne(10), await takeOne(10, true), await takeOne(11)]).toEqual([
      "unverified",
      "taken",
      "unverified",
    ]);
    expect(await take("elsewhere@example.com", { sender: "198.51.100.1" })).toBe("taken");
  });

  test.each([
    ["192.0.2.", "198.51.100.1"],
    ["2001:db8:0:", "2001:db8:1:1::/64"],
  ])("for an address used up from %s… applies in that network only [H3]", async (network, elsewhere) => {
    const { take } = signUpCountsIn(databaseInMemory().db, SETTINGS);
    const sender = (n: number) => (network.includes(":") ? `${network}${n}::/64` : `${network}${n}`);
    const taken = await times(4, (n) => take(`victim+${n}@example.com`, { sender: sender(n) }));
    expect(taken.filter((one) => one === "taken")).toHaveLength(SETTINGS.signUpsPerDay.email);
    expect(await take("victim@example.com", { sender: elsewhere })).toBe("taken");
  });

  test("is not used up for an address by a client over its own limit, even in the same network [H3]", async () => {
    const { db, rows } = databaseInMemory();
    const { take } = signUpCountsIn(db, SETTINGS);
    for (const name of ["one", "two", "three"]) await take(`${name}@example.com`, { sender: "192.0.2.1" });
    const before = rows("SELECT day, hash, n FROM sign_up_counts ORDER BY hash");
    expect(await take("victim@example.com", { sender: "192.0.2.1" })).toBe("too-many");
    expect(rows("SELECT day, hash, n FROM sign_up_counts ORDER BY hash")).toEqual(before);
    expect(await take("victim@example.com", { sender: "192.0.2.2" })).toBe("taken");
  });

  test("counts by address if one person may have several trials [H3]", async () => {
    const { take } = signUpCountsIn(databaseInMemory().db, { ...SETTINGS, onePerPerson: false });
    for (const email of ["ada@example.com", "ada+x@example.com"]) {
      expect([await take(email, {}), await take(email, {}), await take(email, {})]).toEqual([
        "taken",
        "taken",
        "too-many",
      ]);
    }
  });

  test("is cleared when a person is erased and when the day is over", async () => {
    const { db, rows } = databaseInMemory();
    const { take, forget, deletePast } = signUpCountsIn(db, SETTINGS);
    await take("ada@example.com", {});
    await take("ada@example.com", {});
    await take("bob@example.com", {});
    await forget("ada+x@example.com");
    // Of bob and of the network.
    expect(rows("SELECT n FROM sign_up_counts ORDER BY n")).toEqual([{ n: 1 }, { n: 3 }]);
    expect(await take("ada@example.com", {})).toBe("taken");
    await deletePast(10);
    expect(rows("SELECT n FROM sign_up_counts")).toHaveLength(3);
    vi.setSystemTime(Date.parse("2026-11-23T00:00:00.000Z"));
    await deletePast(1);
    expect(rows("SELECT n FROM sign_up_counts")).toHaveLength(2);
    await deletePast(10);
    expect(rows("SELECT n FROM sign_up_counts")).toEqual([]);
  });
});
