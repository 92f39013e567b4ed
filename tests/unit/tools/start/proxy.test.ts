import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { platform } from "node:process";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createProxy } from "../../../../tools/start/proxy";

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
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A proxy before a Worker that can be replaced. */
async function startProxy(first: RequestListener) {
  let worker = await startWorker(first);
  const [proxy, port] = [createProxy(), await freePort()];
  await proxy.listen(port, undefined, async () => worker);
  onTestFinished(() => proxy.close());
  const replace = async (listener: RequestListener) => {
    worker = await startWorker(listener);
  };
  /** Asks the Worker, there and back, without the proxy. */
  const askWorker = async () => void (await (await fetch(worker)).text());
  return { ...proxy, port, replace, askWorker, url: `http://127.0.0.1:${port}/` };
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

test("a request waits until the Workers are ready", async () => {
  const [worker, proxy, port] = [await startWorker(says("ready")), createProxy(), await freePort()];
  onTestFinished(() => proxy.close());
  const events: string[] = [];
  await proxy.listen(port, undefined, async () => {
    events.push("the request goes to the Worker");
    return worker;
  });
  const answered = fetch(`http://127.0.0.1:${port}/`);
  // Meanwhile a request that nothing holds goes there and back.
  await fetch(worker);
  events.push("the Workers are ready");
  proxy.release();
  expect(await (await answered).text()).toBe("ready");
  expect(events).toEqual(["the Workers are ready", "the request goes to the Worker"]);
});

test("a request that has begun is answered before a reload", async () => {
  let answer = () => {};
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { url, release, hold } = await startProxy((_request, response) => {
    answer = () => void response.end("complete");
    begin();
  });
  release();
  const answered = fetch(url).then((response) => response.text());
  await begun;
  const held = hold();
  answer();
  await held;
  expect(await answered).toBe("complete");
});

test("a client's connection is kept over a reload, and its next request reaches the new Worker", async () => {
  const { port, release, hold, replace, askWorker } = await startProxy(says("old"));
  release();
  const { ask } = keptConnection(port);
  expect(await ask()).toMatch(/old$/m);
  await hold();
  const next = ask();
  await askWorker();
  await replace(says("new"));
  release();
  expect(await next).toMatch(/new/);
});

test("a WebSocket ends with a reload, so that its client connects again", async () => {
  const { port, release, hold } = await startProxy(says("switching"));
  release();
  const { ask, closed } = keptConnection(port);
  await ask("Upgrade: websocket\r\n");
  await hold();
  await expect(closed).resolves.toBeDefined();
});

test("a client of HTTP/1.0 gets no compressed answer, which would come in chunks", async () => {
  const { port, release } = await startProxy((request, response) => {
    response.end(`Accept-Encoding is ${request.headers["accept-encoding"]}`);
  });
  release();
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
  expect(await text(socket)).toContain("Accept-Encoding is undefined");
});

test("other devices are served on all addresses, and this machine also by [::1]", async () => {
  const worker = await startWorker(says("served"));
  const [proxy, port] = [createProxy(), await freePort()];
  await proxy.listen(port, "0.0.0.0", async () => worker);
  onTestFinished(() => proxy.close());
  proxy.release();
  const hosts = ["127.0.0.1", "[::1]"];
  const answers = hosts.map((host) => fetch(`http://${host}:${port}/`).then((response) => response.text()));
  expect(await Promise.all(answers)).toEqual(hosts.map(() => "served"));
});

/** Windows does not tell. */
test.skipIf(platform === "win32")(
  "a port in use is reported with the process that listens on it, and what to do",
  async () => {
    const { port } = await startProxy(says("first"));
    await expect(createProxy().listen(port, undefined, () => startWorker(says("second")))).rejects.toThrow(
      new RegExp(
        `^Port ${port} is in use by process ${process.pid} \\(.*node.*\\): stop it with kill ${process.pid}, or choose another port, such as PORT=\\d+ npm start\\.$`,
      ),
    );
  },
);
