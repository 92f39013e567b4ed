import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { passwordQueue } from "../../../../../functions/subscription-api/sign-ups/password/password-queue";

/** A hash that takes 100 ms; keeps the order in which passwords came, and how many were hashed at once. */
function slowHasher() {
  const order: string[] = [];
  let running = 0;
  let atOnce = 0;
  const work = async (password: string) => {
    order.push(password);
    running += 1;
    atOnce = Math.max(atOnce, running);
    await new Promise((resolve) => setTimeout(resolve, 100));
    running -= 1;
    return password;
  };
  const hasher = { hash: work, verify: async (password: string) => (await work(password)) !== "" };
  return { hasher, order, atOnce: () => atOnce };
}

/** Hashes a password when it is its turn, and leaves; the sender is its first letter. */
function start(queue: ReturnType<typeof passwordQueue>, password: string) {
  const place = queue.enter(password.slice(0, 1));
  void place?.inTurn((own) => own.hash(password)).finally(place.leave);
}

describe("the password queue", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("hashes one password at a time, round-robin across clients, last in first out within one [H1]", async () => {
    const { hasher, order, atOnce } = slowHasher();
    const queue = passwordQueue(hasher);
    const jobs = ["a1", "a2", "a3", "b1", "a4", "c1", "b2"].map((password) => {
      const place = queue.enter(password.slice(0, 1));
      return place?.inTurn((own) => own.hash(password)).finally(place.leave);
    });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await Promise.all(jobs)).toEqual(["a1", "a2", "a3", "b1", "a4", "c1", "b2"]);
    expect(order).toEqual(["a1", "b2", "c1", "a4", "b1", "a3", "a2"]);
    expect(atOnce()).toBe(1);
  });

  test("has slots for eight seconds of hashing, and frees one when its work fails [H1]", async () => {
    const { hasher } = slowHasher();
    const queue = passwordQueue(hasher);
    const enter = (count: number) =>
      Array.from({ length: count }, (_, index) => queue.enter(`sender-${index}`)).filter(
        (place) => place !== undefined,
      );
    const crowd = enter(60);
    expect(crowd).toHaveLength(40);
    expect(queue.enter("somebody")).toBeUndefined();
    const other = passwordQueue(hasher);
    const own = Array.from({ length: 40 }, () => other.enter("one")).filter((place) => place !== undefined);
    expect(own).toHaveLength(30);
    expect(other.enter("another")).toBeDefined();

    const failing = crowd.slice(0, 3).map(async (place) => {
      await expect(place.inTurn(() => Promise.reject(new Error("the database fails")))).rejects.toThrow();
      place.leave();
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(failing);
    expect(enter(10).length).toBeGreaterThanOrEqual(3);
  });

  test("takes slot and turn back from an aborted request [H1]", async () => {
    const { hasher, order } = slowHasher();
    const queue = passwordQueue(hasher);
    for (let index = 0; index < 40; index += 1) {
      void queue.enter(`ended-${index}`)?.inTurn(() => new Promise(() => {}));
    }
    vi.clearAllTimers();
    expect(queue.enter("next")).toBeUndefined();
    await vi.advanceTimersByTimeAsync(8_000);
    const place = queue.enter("next");
    const hashed = place?.inTurn((own) => own.hash("next"));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await hashed).toBe("next");
    expect(order).toEqual(["next"]);
  });

  describe("among several clients", () => {
    test("a client that disconnected counts as one that never came [H1]", async () => {
      const { hasher, order } = slowHasher();
      const queue = passwordQueue(hasher);
      queue.enter("somebody else");
      start(queue, "a1");
      await vi.advanceTimersByTimeAsync(500);
      for (const password of ["x", "new", "a2"]) start(queue, password);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(order).toEqual(["a1", "x", "a2", "new"]);
    });

    test("a client that had a turn and waits again comes after the others [H1]", async () => {
      const { hasher, order } = slowHasher();
      const queue = passwordQueue(hasher);
      queue.enter("a");
      start(queue, "a1");
      await vi.advanceTimersByTimeAsync(500);
      for (const password of ["x", "new", "a2"]) start(queue, password);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(order).toEqual(["a1", "x", "new", "a2"]);
    });

    test("nobody waits for a client whose slot has no password yet, or no longer [H1]", async () => {
      const { hasher, order } = slowHasher();
      const queue = passwordQueue(hasher);
      const early = queue.enter("early");
      start(queue, "a");
      expect(order).toEqual(["a"]);
      await vi.advanceTimersByTimeAsync(500);
      void early?.inTurn((own) => own.hash("early"));
      await vi.advanceTimersByTimeAsync(500);
      start(queue, "b");
      expect(order).toEqual(["a", "early", "b"]);
    });
  });

  describe("after three seconds", () => {
    const forever = () => new Promise<never>(() => {});

    test("a turn is taken back from the client that holds it [H1]", async () => {
      const { hasher, order } = slowHasher();
      const queue = passwordQueue(hasher);
      void queue.enter("a")?.inTurn(forever);
      start(queue, "b");
      await vi.advanceTimersByTimeAsync(2_990);
      expect(order).toEqual([]);
      await vi.advanceTimersByTimeAsync(10);
      expect(order).toEqual(["b"]);
    });

    test("a request that no longer asks is skipped [H1]", async () => {
      const { hasher, order } = slowHasher();
      const queue = passwordQueue(hasher);
      queue.enter("c");
      start(queue, "c1");
      await vi.advanceTimersByTimeAsync(500);
      void queue.enter("a")?.inTurn(forever);
      start(queue, "b");
      await vi.advanceTimersByTimeAsync(1_000);
      const now = Date.now();
      // Sets the clock back too.
      vi.clearAllTimers();
      vi.setSystemTime(now);
      start(queue, "c2");
      await vi.advanceTimersByTimeAsync(2_990);
      expect(order).toEqual(["c1"]);
      await vi.advanceTimersByTimeAsync(10);
      expect(order).toEqual(["c1", "c2"]);
    });
  });
});
