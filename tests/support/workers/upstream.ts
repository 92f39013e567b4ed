import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createGzip } from "node:zlib";

/** A request from the site to the API. */
type UpstreamCall = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** How an upstream answers a call, or fails to. */
export type Behavior = (response: ServerResponse, call: UpstreamCall) => unknown;

/** A subscription API whose answers a test sets; it records every call. */
export type Upstream = {
  /** Its origin, without a slash at the end. */
  url: string;
  /** The calls since its answer was last set. */
  calls: UpstreamCall[];
  answers: (as: Behavior) => void;
  answersJson: (status: number, body: unknown) => void;
  dispose: () => void;
};

export async function startUpstream(): Promise<Upstream> {
  const calls: UpstreamCall[] = [];
  let behavior: Behavior = answersNothing;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const call = { method, url, headers, body: await text(request) };
    calls.push(call);
    await behavior(response, call);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    url: `http://127.0.0.1:${port}`,
    calls,
    answers(as) {
      calls.length = 0;
      behavior = as;
    },
    answersJson: (status, body) => upstream.answers(answersWith(status, JSON.stringify(body))),
    dispose() {
      server.closeAllConnections();
      server.close();
    },
  };
  return upstream;
}

export function answersWith(status: number, body: string): Behavior {
  return (response) => response.writeHead(status, { "Content-Type": "application/json" }).end(body);
}

const answersNothing: Behavior = (response) => response.writeHead(204).end();

export function redirects(status: number, location: string): Behavior {
  return (response) => response.writeHead(status, { Location: location }).end();
}

export const neverAnswers: Behavior = () => {};

export const resets: Behavior = (response) => response.socket?.resetAndDestroy();

/** Sends `spaces` gzipped spaces, then stalls. */
export function stallsInACompressedBody(spaces: number, status = 200): Behavior {
  return (response) => {
    response.writeHead(status, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
    const gzip = createGzip();
    gzip.pipe(response);
    gzip.write(" ".repeat(spaces), () => gzip.flush());
  };
}
