import { connect, createServer, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";
import { setTimeout as pass } from "node:timers/promises";
import { ToolError } from "../failures";
import { isInUse, portProblem } from "./port-in-use";

type Address = () => Promise<URL>;

/** A response that sends nothing for this long counts as complete. */
const QUIET_MS = 50;
/** A reload waits at most this long for a request. */
const ANSWERED_WITHIN_MS = 5_000;

export type Proxy = ReturnType<typeof createProxy>;

/** Requests wait until `release`, at the start and after each `hold`, so none reaches a Worker that is not ready. */
export function createProxy() {
  const servers: Server[] = [];
  const connections = new Set<Connection>();
  let release = () => {};
  let released = Promise.resolve();
  const block = () => {
    released = new Promise((resolve) => {
      release = resolve;
    });
  };
  block();

  function accept(client: Socket, worker: Address): void {
    const connection = new Connection(client, () => released.then(worker));
    connections.add(connection);
    client.once("close", () => connections.delete(connection));
  }

  return {
    /** Throws ToolError for a port in use. @param host undefined: only this machine, over IPv4 and, if it can, IPv6 */
    async listen(port: number, host: string | undefined, worker: Address): Promise<void> {
      const on = (address: string) =>
        new Promise<void>((resolve, reject) => {
          const server = createServer((client) => accept(client, worker));
          server.once("error", reject).listen(port, address, resolve);
          servers.push(server);
        });
      try {
        await on(host ?? "127.0.0.1");
        // "::" listens on both IPv4 and IPv6.
        if (host !== "::") await on("::1").catch((error) => (isInUse(error) ? Promise.reject(error) : undefined));
      } catch (error) {
        throw await portProblem(port, error);
      }
    },
    release: () => release(),
    close(): void {
      for (const server of servers) server.close();
      for (const connection of connections) connection.end();
    },
    /** Lets the Workers finish their responses, then disconnects them. Clients, except WebSockets, stay connected. */
    async hold(): Promise<void> {
      block();
      const deadline = performance.now() + ANSWERED_WITHIN_MS;
      const isBusy = () => [...connections].some((connection) => !connection.isIdle());
      while (isBusy() && performance.now() < deadline) await pass(QUIET_MS / 5);
      for (const connection of connections) connection.detach();
    },
  };
}

/** A client's connection, and the connection to its Worker while there is one. */
class Connection {
  private worker: Socket | undefined;
  private isAnswered = true;
  private lastByteAt = 0;
  private isWebSocket = false;

  constructor(
    private readonly client: Socket,
    private readonly readyWorker: Address,
  ) {
    client.on("error", () => client.destroy());
    client.on("close", () => this.worker?.destroy());
    client.on("data", (chunk) => void this.send(chunk));
  }

  isIdle(): boolean {
    return this.worker === undefined || (this.isAnswered && performance.now() - this.lastByteAt > QUIET_MS);
  }

  /** Closes the connection to the Worker. The client's next request opens a new one; a WebSocket client has to reconnect. */
  detach(): void {
    const { worker } = this;
    this.worker = undefined;
    worker?.destroy();
    if (this.isWebSocket) this.end();
  }

  end(): void {
    this.client.destroy();
  }

  private async send(chunk: Buffer): Promise<void> {
    // Read nothing else until this chunk is passed on.
    this.client.pause();
    const worker = this.worker ?? (await this.open());
    if (worker === undefined) return void (this.client.writableEnded || this.client.destroy());
    this.isAnswered = false;
    this.isWebSocket ||= /^Upgrade: *websocket\r$/im.test(chunk.toString("latin1"));
    worker.write(acceptingOnlyPlain(chunk), () => this.client.resume());
  }

  /** A refusal says that the connection ends: after one of a long body workerd closes it unsaid, and the next request would be lost. */
  private passBack(chunk: Buffer): Buffer {
    const isStart = !this.isAnswered;
    this.isAnswered = true;
    this.lastByteAt = performance.now();
    const closing = (line: string) => `${line}Connection: close\r\n`;
    return isStart ? Buffer.from(chunk.toString("latin1").replace(/^HTTP\/1\.1 [45].*\r\n/, closing), "latin1") : chunk;
  }

  private async open(): Promise<Socket | undefined> {
    const url = await this.readyWorker().catch((error) => {
      if (error instanceof ToolError) this.client.end(responseAbout(error));
    });
    if (!url || this.client.destroyed) return undefined;
    const worker = connect(Number(url.port), url.hostname);
    this.worker = worker;
    const answers = new Transform({ transform: (chunk, _encoding, done) => done(null, this.passBack(chunk)) });
    worker.on("error", () => worker.destroy());
    worker.on("close", () => answers.end());
    answers.on("close", () => {
      if (this.worker === worker) this.client.end();
    });
    worker.pipe(answers).pipe(this.client, { end: false });
    return worker;
  }
}

/** The answer of Workers that do not run because of this error. Browsers ask again each second, until it is fixed. */
const responseAbout = ({ message }: ToolError) => `HTTP/1.1 500 Internal Server Error\r
Content-Type: text/plain; charset=utf-8\r
Cache-Control: no-store\r
Refresh: 1\r
Connection: close\r
\r
${message}
`;

/** Miniflare compresses in chunks, which HTTP/1.0 clients such as w3m cannot read: RFC 9112, section 6.1. */
function acceptingOnlyPlain(start: Buffer): Buffer {
  const text = start.toString("latin1");
  if (!/^\S+ \S+ HTTP\/1\.0\r\n/.test(text)) return start;
  return Buffer.from(text.replace(/\r\nAccept-Encoding:.*/i, ""), "latin1");
}
