import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createGzip } from "node:zlib";

/** What the site sent to the API. */
type UpstreamCall = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** How an upstream answers a call, or fails to. */
export type Behaviour = (response: ServerResponse, call: UpstreamCall) => unknown;

/** A subscription API that behaves as a test says, and remembers every call. */
export type Upstream = {
  /** Its origin, without a slash at the end. */
  url: string;
  /** The calls since its answer was last set. */
  calls: UpstreamCall[];
  answers: (as: Behaviour) => void;
  answersJson: (status: number, body: unknown) => void;
  dispose: () => void;
};

export async function startUpstream(): Promise<Upstream> {
  const calls: UpstreamCall[] = [];
  let behaviour: Behaviour = answersNothing;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const call = { method, url, headers, body: await text(request) };
    calls.push(call);
    await behaviour(response, call);
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
      behaviour = as;
    },
    answersJson: (status, body) => upstream.answers(answersWith(status, JSON.stringify(body))),
    dispose() {
      server.closeAllConnections();
      server.close();
    },
  };
  return upstream;
}

/**
 * Passes calls on to an API, so that the work is done, and answers as the API does or fails.
 * @param target the API's origin
 */
export function passesOnTo(target: string, then?: Behaviour): Behaviour {
  return async (response, call) => {
    const answer = await fetch(target + call.url, {
      method: call.method,
      headers: {
        "Content-Type": call.headers["content-type"] ?? "",
        "Idempotency-Key": String(call.headers["idempotency-key"]),
        // One that waits in a pool may be closed just when it is used again.
        Connection: "close",
      },
      body: call.body,
    });
    const body = await answer.text();
    return (then ?? answersWith(answer.status, body))(response, call);
  };
}

/** @param type of the body, which need not be the contract's */
function answersWith(status: number, body: string, type = "application/json"): Behaviour {
  return (response) => response.writeHead(status, { "Content-Type": type }).end(body);
}

const answersNothing: Behaviour = (response) => response.writeHead(204).end();

export function redirects(status: number, location: string): Behaviour {
  return (response) => response.writeHead(status, { Location: location }).end();
}

export const neverAnswers: Behaviour = () => {};

export const stallsInTheBody: Behaviour = (response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
  response.write("{");
};

export const resets: Behaviour = (response) => response.socket?.resetAndDestroy();

export const sendsAShortBody: Behaviour = (response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
  response.write('{"client_secret":"seti_', () => response.destroy());
};

/** How much an endless body has at most, so that a reader without a cap fails instead of running forever. */
const ENDLESS_BYTES = 300 * 1024 * 1024;

/**
 * Answers with a Content-Length of 5 beside chunks without end, which no HTTP library would write.
 * @param sent counts the bytes that left
 */
export function liesAboutItsLength(sent = { bytes: 0 }, status = 200): Behaviour {
  return ({ socket }) => {
    const part = " ".repeat(64 * 1024);
    const chunk = Buffer.from(`${part.length.toString(16)}\r\n${part}\r\n`);
    socket?.on("error", () => {});
    socket?.write(
      `HTTP/1.1 ${status} Status\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const more = () => {
      if (sent.bytes >= ENDLESS_BYTES || !socket || socket.destroyed) return;
      socket.write(chunk, (error) => {
        if (error) return;
        sent.bytes += chunk.byteLength;
        more();
      });
    };
    more();
  };
}

/** Sends as many spaces as gzip, and goes no further. */
export function stallsInACompressedBody(spaces: number, status = 200): Behaviour {
  return (response) => {
    response.writeHead(status, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
    const gzip = createGzip();
    gzip.pipe(response);
    gzip.write(" ".repeat(spaces), () => gzip.flush());
  };
}
