import { once } from "node:events";
import { createServer } from "node:net";

/** The first of four ports that nothing listens on, below the ports of outgoing connections. */
export async function freePorts(): Promise<number> {
  const port = 10_081 + 4 * Math.floor(Math.random() * 5_000);
  const servers = [0, 1, 2, 3].map((after) => createServer().listen(port + after, "127.0.0.1"));
  const listening = await Promise.allSettled(servers.map((server) => once(server, "listening")));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return listening.every(({ status }) => status === "fulfilled") ? port : freePorts();
}
