import { connect, createServer, type Socket } from "node:net";
import type { LocalWorker } from "./run-worker";

/**
 * Passes connections on to a Worker: Miniflare listens on one address, and another one after each restart.
 * @param host undefined for this machine alone, by IPv4 and, where it has it, IPv6
 */
export async function listen(port: number, host: string | undefined, worker: LocalWorker): Promise<void> {
  const onOne = (address: string) =>
    new Promise<void>((resolve, reject) => {
      const server = createServer((client) => void passOn(client, worker));
      server.once("error", reject).listen(port, address, resolve);
    });
  await onOne(host ?? "127.0.0.1");
  if (!host) await onOne("::1").catch(() => {});
}

async function passOn(client: Socket, { ready }: LocalWorker): Promise<void> {
  client.on("error", () => client.destroy());
  const url = await ready().catch(() => undefined);
  if (!url || client.destroyed) return void client.destroy();
  const worker = connect(Number(url.port), url.hostname);
  client.on("close", () => worker.destroy());
  worker.on("error", () => client.destroy());
  client.once("data", (start) => {
    worker.write(acceptingOnlyPlain(start));
    client.pipe(worker);
  });
  worker.pipe(client);
}

const HTTP_1_0 = /^\S+ \S+ HTTP\/1\.0\r\n/;

/**
 * Miniflare sends compressed answers in chunks, which a client of HTTP/1.0 such as w3m cannot read (RFC 9112, section 6.1).
 * @returns the start of a request, whose client takes an uncompressed answer if it speaks HTTP/1.0
 */
function acceptingOnlyPlain(start: Buffer): Buffer {
  const text = start.toString("latin1");
  if (!HTTP_1_0.test(text)) return start;
  return Buffer.from(text.replace(/\r\nAccept-Encoding:.*/i, ""), "latin1");
}
