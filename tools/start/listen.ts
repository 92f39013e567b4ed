import { connect, createServer, type Socket } from "node:net";
import { ToolError } from "../failures";

/**
 * Passes connections on to a Worker, which has another address after each reload. Throws ToolError for a port in use.
 * @param host undefined for this machine alone, by IPv4 and, where it has it, IPv6
 * @param worker its address; undefined before it runs, when connections are closed
 */
export async function listen(
  port: number,
  host: string | undefined,
  worker: () => Promise<URL | undefined>,
): Promise<void> {
  const on = (address: string) =>
    new Promise<void>((resolve, reject) => {
      const server = createServer((client) => void passOn(client, worker));
      server.once("error", reject).listen(port, address, resolve);
    });
  try {
    await on(host ?? "127.0.0.1");
    if (!host) await on("::1").catch((error) => (error.code === "EADDRINUSE" ? Promise.reject(error) : undefined));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    throw new ToolError(
      `Port ${port} is ${code === "EACCES" ? "for an administrator" : "in use: stop what listens there"}, or choose another, such as PORT=9000 npm start.`,
    );
  }
}

async function passOn(client: Socket, worker: () => Promise<URL | undefined>): Promise<void> {
  client.on("error", () => client.destroy());
  const url = await worker().catch(() => undefined);
  if (!url || client.destroyed) return void client.destroy();
  const server = connect(Number(url.port), url.hostname);
  client.on("close", () => server.destroy());
  server.on("error", () => client.destroy());
  client.once("data", (start) => {
    server.write(acceptingOnlyPlain(start));
    client.pipe(server);
  });
  server.pipe(client);
}

/**
 * Miniflare sends compressed answers in chunks, which a client of HTTP/1.0 such as w3m cannot read (RFC 9112, section 6.1).
 * @returns the start of a request, whose client takes an uncompressed answer if it speaks HTTP/1.0
 */
function acceptingOnlyPlain(start: Buffer): Buffer {
  const text = start.toString("latin1");
  if (!/^\S+ \S+ HTTP\/1\.0\r\n/.test(text)) return start;
  return Buffer.from(text.replace(/\r\nAccept-Encoding:.*/i, ""), "latin1");
}
