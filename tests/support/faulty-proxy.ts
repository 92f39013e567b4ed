import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { freePort } from "./workers";

/**
 * What happens to a request. The network's: refused before it arrives; answered although nobody hears it; never
 * answered. The service's: 409 and 429 without anything done; 500 before or after the work was done.
 */
export type Fault = "refuse" | "lose-answer" | "stall" | "409" | "429" | "500-before" | "500-after";

/** A request on its way, as far as faults are chosen by it. */
export type PassingRequest = { method: string; path: string; headers: Record<string, string>; body: string };

/** A proxy before a Worker that fails on demand: what the caller then sees is what a crash at that point leaves. */
export type FaultyProxy = {
  url: string;
  /** From now on, requests that start with `line`, such as `POST /v1/customers`, fail so. */
  breakAt: (line: string, fault: Fault) => void;
  /** From now on, each request is asked for its fault. */
  decide: (by: (request: PassingRequest) => Fault | undefined) => void;
  /** Sees every answer that the Worker gave, heard or not. */
  watch: (by: (request: PassingRequest, answer: string) => void) => void;
  /**
   * Holds the answer to the next request that starts with `line` back.
   * @returns once the answer is there: what lets it go on its way
   */
  hold: (line: string) => Promise<() => void>;
  repair: () => void;
  dispose: () => Promise<void>;
};

/** @param target where requests go; it may be told later */
export async function startFaultyProxy(target: string | (() => string)): Promise<FaultyProxy> {
  let faultOf: (request: PassingRequest) => Fault | undefined = () => undefined;
  let held: { line: string; there: (letGo: () => void) => void } | undefined;
  let saw: (request: PassingRequest, answer: string) => void = () => {};

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: PassingRequest = {
      method: incoming.method ?? "GET",
      path: incoming.url ?? "/",
      headers: forwardedHeaders(incoming),
      body: await text(incoming),
    };
    const fault = faultOf(request);
    if (fault === "stall") return;
    if (fault === "refuse") return void incoming.socket.destroy();
    // The simulator's Stripe fails by itself, since it has to remember that; for what is beside it the proxy does.
    const byItself = request.path.startsWith("/v1/") && fault !== undefined && fault !== "lose-answer";
    if (!byItself && fault === "500-before") return void response.writeHead(500).end("{}");
    if (!byItself && (fault === "409" || fault === "429")) return void response.writeHead(Number(fault)).end("{}");

    const answer = await fetch(new URL(request.path, typeof target === "string" ? target : target()), {
      method: request.method,
      headers: { ...request.headers, connection: "close", ...(byItself && { "simulator-fault": fault }) },
      body: request.body === "" ? undefined : request.body,
    });
    const body = await answer.text();
    saw(request, body);
    if (held && `${request.method} ${request.path}`.startsWith(held.line)) {
      const { there } = held;
      held = undefined;
      await new Promise<void>((letGo) => there(letGo));
    }
    if (fault === "lose-answer") return void incoming.socket.destroy();
    if (!byItself && fault === "500-after") return void response.writeHead(500).end("{}");
    const shown = ["content-type", "stripe-should-retry"].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(shown)).end(body);
  }

  const port = await freePort();
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    breakAt: (line, fault) => {
      faultOf = ({ method, path }) => (`${method} ${path}`.startsWith(line) ? fault : undefined);
    },
    decide: (by) => {
      faultOf = by;
    },
    watch: (by) => {
      saw = by;
    },
    hold: (line) =>
      new Promise((there) => {
        held = { line, there };
      }),
    repair: () => {
      faultOf = () => undefined;
    },
    dispose: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function forwardedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const wanted = /^(authorization|content-type|idempotency-key|stripe-(version|signature)|webhook-\w+)$/;
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      wanted.test(name) && typeof value === "string" ? [[name, value]] : [],
    ),
  );
}
