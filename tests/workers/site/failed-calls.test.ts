import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { root } from "../../../tools/wrangler/wrangler";

/* The names and messages of workerd's own errors, by which app/shared/http/failed-call.ts knows a cause. */

const ASKING = `
import { failedCall } from "./app/shared/http/failed-call";
export default {
  async fetch(request) {
    const { url, milliseconds } = await request.json();
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(milliseconds) });
      return Response.json(await response.json());
    } catch (error) {
      return Response.json(failedCall(error));
    }
  },
};`;

const stdin = { contents: ASKING, resolveDir: root };
const { outputFiles } = await build({ stdin, bundle: true, format: "esm", write: false });
const worker = new Miniflare({
  modules: true,
  compatibilityDate: "2026-04-20",
  script: outputFiles[0]?.text ?? "",
  // workerd also writes a stack of its own.
  handleRuntimeStdio: (...streams: Readable[]) => void streams.map((stream) => stream.resume()),
});
afterAll(() => worker.dispose());

/** A port of this machine with a server that does this to each connection that has sent something. */
async function portThat(answers: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => {}).once("data", () => answers(socket)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const HTML = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>";
const CUT_SHORT = `HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a"`;

type Row = { name: string; cause: string; milliseconds?: number } & (
  | { url: string }
  | { scheme?: "https"; answers: (socket: Socket) => void }
);
test.each<Row>([
  { name: "no answer by the deadline", answers: () => {}, milliseconds: 1, cause: "deadline" },
  { name: "a closed port", url: "http://127.0.0.1:1/", cause: "connection" },
  { name: "a connection that is reset", answers: (socket) => socket.resetAndDestroy(), cause: "connection" },
  { name: "an answer that is cut short", answers: (socket) => socket.end(CUT_SHORT), cause: "connection" },
  { name: "HTML", answers: (socket) => socket.end(HTML), cause: "answer" },
  { name: "a host without an address", url: "http://nowhere.invalid/", cause: "dns or tls" },
  { name: "a host without TLS", scheme: "https", answers: (socket) => socket.end(HTML), cause: "dns or tls" },
])("workerd's error is known: $name", async ({ cause, milliseconds = 60_000, ...at }) => {
  const url = "url" in at ? at.url : `${at.scheme ?? "http"}://127.0.0.1:${await portThat(at.answers)}/`;
  const body = JSON.stringify({ url, milliseconds });
  const answer = await worker.dispatchFetch("http://x/", { method: "POST", body });
  expect(await answer.json()).toEqual({ cause });
});
