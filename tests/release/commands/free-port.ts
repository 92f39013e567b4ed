import { createServer } from "node:net";
import { threadId } from "node:worker_threads";

/**
 * Below those that systems give to outgoing connections: one of these could take the port before a Worker does. Above
 * those that `fetch` refuses: https://fetch.spec.whatwg.org/#port-blocking
 */
const PORTS = { from: 10_081, count: 21_919 };

/** Each process and thread begins at a place of its own, so that no two choose a port at the same time. */
let lastPort = process.pid * 131 + threadId * 1_009;

/** A free TCP port, given out once, as are the two after it, which `npm start` takes too. */
export async function freePort(): Promise<number> {
  for (;;) {
    lastPort += 3;
    const port = PORTS.from + (lastPort % PORTS.count);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
