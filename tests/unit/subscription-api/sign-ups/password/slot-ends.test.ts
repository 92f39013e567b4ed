import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { passwordQueue } from "../../../../../functions/subscription-api/sign-ups/password/password-queue";

/* Crowds at the queue of passwords: a place ends before its visitor does. */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A queue whose hash takes so long, and when each who got a place was told how it went. */
function crowdAt(hashMs: number) {
  let hashes = 0;
  const work = async () => {
    hashes += 1;
    await new Promise((resolve) => setTimeout(resolve, hashMs));
    return "hashed";
  };
  const queue = passwordQueue({ hash: work, verify: async () => (await work()) !== "" });
  const arrive = (count: number, name: string) => {
    const answers: { outcome: string; after: number }[] = [];
    for (let index = 0; index < count; index += 1) {
      const came = Date.now();
      const place = queue.enter(`${name}-${index}`);
      if (place === undefined) answers.push({ outcome: "refused", after: 0 });
      else
        void place
          .inTurn((hasher) => hasher.hash(""))
          .then((hash = "ended") => answers.push({ outcome: hash, after: Date.now() - came }))
          .finally(place.leave);
    }
    return answers;
  };
  return { arrive, hashes: () => hashes };
}

test("eighty concurrent requests on a slow machine are each answered within nine seconds, and no refused password is hashed [H1]", async () => {
  const { arrive, hashes } = crowdAt(400);
  const answers = arrive(80, "crowd");
  await vi.advanceTimersByTimeAsync(12_000);
  expect(answers).toHaveLength(80);
  expect(Math.max(...answers.map(({ after }) => after))).toBeLessThan(9_000);
  const count = (outcome: string) => answers.filter((answer) => answer.outcome === outcome).length;
  expect(count("ended")).toBeGreaterThan(0);
  expect(hashes()).toBe(count("hashed"));
});

test("once hashing time is known, slots cover eight seconds and none expires [H1]", async () => {
  const { arrive } = crowdAt(400);
  arrive(5, "before");
  await vi.advanceTimersByTimeAsync(4_000);
  const answers = arrive(80, "crowd");
  await vi.advanceTimersByTimeAsync(12_000);
  const hashed = answers.filter(({ outcome }) => outcome === "hashed").length;
  expect(hashed).toBeGreaterThanOrEqual(17);
  expect(hashed).toBeLessThanOrEqual(20);
  expect(answers.filter(({ outcome }) => outcome === "refused")).toHaveLength(80 - hashed);
});

test("a request after a crowd has left gets a slot and a turn at once [H1]", async () => {
  const { arrive } = crowdAt(400);
  arrive(80, "crowd");
  await vi.advanceTimersByTimeAsync(8_500);
  const [answer] = arrive(1, "visitor");
  expect(answer).toBeUndefined();
  const answers = arrive(1, "another");
  await vi.advanceTimersByTimeAsync(1_500);
  expect(answers).toMatchObject([{ outcome: "hashed" }]);
});
