/*
 * Miniflare's proxies of bindings wait for each answer by `Atomics.wait`. The thread that answers stores a 1, then wakes
 * the waiting one. On a busy machine the waiting one can see the 1, take its answer and wait for the next before it is
 * woken: it goes on without an answer, and each later call gets the answer of the one before. So it waits on while the
 * value is what it was.
 */
Atomics.wait = new Proxy(Atomics.wait, {
  apply(wait, self, wanted: [Int32Array, number, number, number?]) {
    const [array, index, value] = wanted;
    let outcome: unknown = Reflect.apply(wait, self, wanted);
    while (outcome === "ok" && Atomics.load(array, index) === value) outcome = Reflect.apply(wait, self, wanted);
    return outcome;
  },
});
