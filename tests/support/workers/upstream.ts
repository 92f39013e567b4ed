import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type UpstreamCall = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

const JSON_TYPE = { "content-type": "application/json" };
/** How an upstream answers a call, or fails to. */
export type Behavior = (response: ServerResponse, call: UpstreamCall) => unknown;

/** A subscription API or another service whose answers a test sets; 204 by default. Records every call. */
export async function startUpstream() {
  /** All calls since the answer was last set. */
  const calls: UpstreamCall[] = [];
  let behavior: Behavior = (response) => response.writeHead(204).end();
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    try {
      const call = { method, url, headers, body: await text(request) };
      calls.push(call);
      await behavior(response, call);
    } catch {
      response.destroy();
    }
  });
  // Keep connections open: one that closes while it is being reused would be an unplanned failure.
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  const answers = (as: Behavior) => {
    calls.length = 0;
    behavior = as;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answers,
    answersJson: (status: number, body: unknown) =>
      answers((response) => response.writeHead(status, JSON_TYPE).end(JSON.stringify(body))),
    dispose() {
      server.closeAllConnections();
      server.close();
    },
  };
}
