import { once } from "node:events";
import { createServer } from "node:net";

/** The first of three ports that nothing listens on, below the ports of outgoing connections. */
export async function freePorts(): Promise<number> {
  const port = 10_081 + 3 * Math.floor(Math.random() * 7_000);
  const servers = [port, port + 1, port + 2].map((one) => createServer().listen(one, "127.0.0.1"));
  const listening = await Promise.allSettled(servers.map((server) => once(server, "listening")));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return listening.every(({ status }) => status === "fulfilled") ? port : freePorts();
}
