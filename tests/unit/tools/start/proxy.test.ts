import { EventEmitter, once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { platform } from "node:process";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { messageOf, ToolError } from "../../../../tools/failures";
import { portProblem } from "../../../../tools/start/port-in-use";
import { createProxy } from "../../../../tools/start/proxy";

/* What stands before the Workers of npm start, and why it cannot listen on a port. */

/** A server in the place of a Worker. */
async function startWorker(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** A port that nothing listened on just now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

/** A proxy before Workers at this address. */
async function proxyBefore(address: () => Promise<URL>, host?: string) {
  const [proxy, port] = [createProxy(), await freePort()];
  await proxy.listen(port, host, address);
  onTestFinished(() => proxy.close());
  return { ...proxy, port, url: `http://127.0.0.1:${port}/` };
}

/** A released proxy before a Worker. */
async function startProxy(listener: RequestListener, host?: string) {
  const worker = await startWorker(listener);
  const proxy = await proxyBefore(async () => worker, host);
  proxy.release();
  return { ...proxy, worker };
}

const says =
  (words: string): RequestListener =>
  (_request, response) =>
    void response.end(words);

/** One connection, on which requests are sent in turn. */
function keptConnection(port: number) {
  const socket = connect(port, "127.0.0.1");
  const closed = once(socket, "close");
  const ask = async (headers = "") => {
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
    const [answer] = await once(socket, "data");
    return String(answer);
  };
  onTestFinished(() => void socket.destroy());
  return { ask, closed };
}

test("a request waits for the Workers at the start and during a reload, over which its connection is kept", async () => {
  let current = await startWorker(says("too early"));
  const { port, release, hold } = await proxyBefore(async () => current);
  const { ask } = keptConnection(port);
  for (const words of ["started", "reloaded"]) {
    const answered = ask();
    // Meanwhile a request that nothing holds goes there and back.
    await fetch(current);
    current = await startWorker(says(words));
    release();
    expect(await answered).toContain(words);
    await hold();
  }
});

test("a request that has begun is answered before a reload", async () => {
  const requests = new EventEmitter();
  const begun = once(requests, "begun");
  const { url, hold } = await startProxy((_request, response) => void requests.emit("begun", response));
  const answered = fetch(url).then((response) => response.text());
  const [response] = await begun;
  const held = hold();
  response.end("complete");
  await held;
  expect(await answered).toBe("complete");
});

test("a WebSocket ends with a reload, so that its client connects again", async () => {
  const { port, hold } = await startProxy(says("switching"));
  const { ask, closed } = keptConnection(port);
  await ask("Upgrade: websocket\r\n");
  await hold();
  await expect(closed).resolves.toBeDefined();
});

test("Workers that do not run are answered for with the reason, until they run", async () => {
  let address: () => Promise<URL> = async () => {
    throw new ToolError("NCBOOM at app/root.tsx:1:2");
  };
  const { url, release } = await proxyBefore(() => address());
  release();
  const answer = await fetch(url);
  expect([answer.status, await answer.text()]).toEqual([500, "NCBOOM at app/root.tsx:1:2\n"]);
  const headers = { refresh: "1", "content-type": "text/plain; charset=utf-8" };
  expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
  address = () => startWorker(says("fixed"));
  expect(await (await fetch(url)).text()).toBe("fixed");
});

test("a client of HTTP/1.0 gets no compressed answer, which would come in chunks", async () => {
  const { port } = await startProxy(({ headers }, response) => void response.end(String(headers["accept-encoding"])));
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
  expect(await text(socket)).toMatch(/undefined$/);
});

test.each([
  { status: 413, closes: true },
  { status: 503, closes: true },
  { status: 303, closes: false },
])("an answer $status says that the connection ends: $closes", async ({ status, closes }) => {
  const { port } = await startProxy((_request, response) => void response.writeHead(status).end("answered"));
  const answer = await keptConnection(port).ask("Content-Length: 300000\r\n");
  expect(answer.includes("Connection: close\r\n")).toBe(closes);
  expect(answer).toContain("answered");
});

test("other devices are served on all addresses, and this machine also by [::1]", async () => {
  const { port } = await startProxy(says("served"), "0.0.0.0");
  for (const host of ["127.0.0.1", "[::1]"])
    expect(await (await fetch(`http://${host}:${port}/`)).text(), host).toBe("served");
});

/** Windows does not tell. */
test.skipIf(platform === "win32")("a port in use is reported with its process, and what to do", async () => {
  const { port, worker } = await startProxy(says("first"));
  await expect(createProxy().listen(port, undefined, async () => worker)).rejects.toThrow(
    new RegExp(
      `^Port ${port} is in use by process ${process.pid} \\(.*node.*\\): stop it with kill ${process.pid}, or choose another port, such as PORT=\\d+ npm start\\.$`,
    ),
  );
});

const errorWith = (code: string) => Object.assign(new Error("listen"), { code, syscall: "listen" });
const DENIED = (port: number, other: number) =>
  `This user may not listen on port ${port}: choose one above 1023, such as PORT=${other} npm start.`;

test.each([
  // Nothing listens on it, as on a port of a process that this user may not see.
  {
    port: 0,
    code: "EADDRINUSE",
    says: "Port 0 is in use: stop the program that uses it, or choose another port, such as PORT=9000 npm start.",
  },
  { port: 8_996, code: "EACCES", says: DENIED(8_996, 9_000) },
  { port: 8_997, code: "EACCES", says: DENIED(8_997, 9_100) },
  { port: 9_003, code: "EACCES", says: DENIED(9_003, 9_100) },
  { port: 9_004, code: "EACCES", says: DENIED(9_004, 9_000) },
  { port: 80, code: "ENOTFOUND", says: "listen" },
])("$code of the port $port is reported in one sentence, and another error as it is", async ({ port, code, says }) => {
  expect(messageOf(await portProblem(port, errorWith(code)))).toBe(says);
});
