import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Wrapper } from "../workers/workers";
import { type DatabaseCall, type DatabaseFault, faultyDatabase } from "./faulty-database";

/**
 * What happens to a request. The network's faults: refused before it arrives; answered although nobody hears it; never
 * answered. The service's: 409 and 429 with nothing done; 500 before or after the work was done.
 */
export type Fault = "refuse" | "lose-answer" | "stall" | "409" | "429" | "500-before" | "500-after";

/** The parts of a request by which faults are chosen. */
export type PassingRequest = { method: string; path: string; headers: Record<string, string>; body: string };

/** A proxy in front of a Worker, and a wrapper of the API's database, that fail on demand as a crash there would. */
export type FaultyProxy = {
  url: string;
  /** For `startSubscriptionApi`. */
  database: Wrapper;
  /** From now on, requests that start with `line`, such as `POST /v1/customers`, fail so. */
  breakAt: (line: string, fault: Fault) => void;
  /** From now on, each request is asked for its fault. */
  decide: (by: (request: PassingRequest) => Fault | undefined) => void;
  /** From now on, each statement and batch is asked for its fault. */
  decideDatabase: (by: (call: DatabaseCall) => DatabaseFault | undefined) => void;
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

const DATABASE_PATH = "/database-faults";

/**
 * @param target the origin to which requests go
 * @param options.keepsHost whether the Worker sees the proxy's own origin as its URL
 */
export async function startFaultyProxy(target: string, { keepsHost = false } = {}): Promise<FaultyProxy> {
  let faultOf: (request: PassingRequest) => Fault | undefined = () => undefined;
  let databaseFaultOf: (call: DatabaseCall) => DatabaseFault | undefined = () => undefined;
  let held: { line: string; there: (letGo: () => void) => void } | undefined;
  let saw: (request: PassingRequest, answer: string) => void = () => {};
  const forward = forwardTo(target);

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    if (incoming.url === DATABASE_PATH) return void response.end(databaseFaultOf(JSON.parse(body)) ?? "");
    const { method = "GET", url: path = "/" } = incoming;
    const request: PassingRequest = { method, path, headers: forwardedHeaders(incoming, keepsHost), body };
    const fault = faultOf(request);
    if (fault === "stall") return;
    if (fault === "refuse") return void incoming.socket.destroy();
    // The simulator's Stripe fails by itself, since it has to remember that; for what is beside it the proxy does.
    const byItself = path.startsWith("/v1/") && fault !== undefined && fault !== "lose-answer";
    if (!byItself && fault === "500-before") return void response.writeHead(500).end("{}");
    if (!byItself && (fault === "409" || fault === "429")) return void response.writeHead(Number(fault)).end("{}");

    const answer = await forward(byItself ? withHeader(request, "simulator-fault", fault) : request);
    saw(request, answer.body);
    if (held && `${method} ${path}`.startsWith(held.line)) {
      const { there } = held;
      held = undefined;
      await new Promise<void>((letGo) => there(letGo));
    }
    if (fault === "lose-answer") return void incoming.socket.destroy();
    if (!byItself && fault === "500-after") return void response.writeHead(500).end("{}");
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  // A connection that is closed just when it is used again would be a fault that nobody planned.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    database: faultyDatabase(url + DATABASE_PATH),
    breakAt: (line, fault) => {
      faultOf = ({ method, path }) => (`${method} ${path}`.startsWith(line) ? fault : undefined);
    },
    decide: (by) => {
      faultOf = by;
    },
    decideDatabase: (by) => {
      databaseFaultOf = by;
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
      databaseFaultOf = () => undefined;
    },
    dispose: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type Answer = { status: number; headers: Record<string, string>; body: string };

/** Sends requests on; by node:http, which costs a third of what fetch does. */
function forwardTo(target: string) {
  const { hostname, port } = new URL(target);
  // Workers close an idle connection after five seconds.
  const agent = new Agent({ keepAlive: true, timeout: 1000 });
  const host = hostname === "localhost" ? "127.0.0.1" : hostname;
  return ({ method, path, headers, body }: PassingRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const receive = async (incoming: IncomingMessage): Promise<Answer> => {
        const shown = ["content-type", "request-id", "stripe-should-retry"].flatMap((name) => {
          const value = incoming.headers[name];
          return typeof value === "string" ? [[name, value] as const] : [];
        });
        return {
          status: incoming.statusCode ?? 500,
          headers: Object.fromEntries(shown),
          body: await text(incoming),
        };
      };
      httpRequest({ host, port, method, path, headers, agent }, (incoming) => resolve(receive(incoming)))
        .on("error", reject)
        .end(body);
    });
}

function withHeader(request: PassingRequest, name: string, value: string): PassingRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}

function forwardedHeaders({ headers }: IncomingMessage, keepsHost: boolean): Record<string, string> {
  const wanted =
    /^(authorization|content-type|(replaces-)?idempotency-key|stripe-(version|signature)|webhook-\w+|x-request-id)$/;
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      (wanted.test(name) || (keepsHost && name === "host")) && typeof value === "string" ? [[name, value]] : [],
    ),
  );
}
