import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Faults: a request is refused, its answer is lost after the work, or it gets a 500 without the work. */
export type Fault = "refuse" | "lose-answer" | "500-before";

type PassingRequest = { method: string; path: string; headers: Record<string, string>; body: string };

/** A proxy in front of a Worker that fails on demand. */
export type FaultyProxy = {
  url: string;
  /** Requests whose method, path or body contain this text, such as `POST /v1/customers`, fail from now on. */
  breakAt: (words: string, fault: Fault) => void;
  /** Repairs requests with this text, or all. */
  repair: (words?: string) => void;
  dispose: () => Promise<void>;
};

/**
 * @param target the origin to which requests go
 * @param options.keepsHost whether the Worker sees the proxy's own origin as its URL
 */
export async function startFaultyProxy(target: string, { keepsHost = false } = {}): Promise<FaultyProxy> {
  const broken = new Map<string, Fault>();
  const forward = forwardTo(target);

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const { method = "GET", url: path = "/" } = incoming;
    const request: PassingRequest = { method, path, headers: forwardedHeaders(incoming, keepsHost), body };
    const [, fault] = [...broken].find(([words]) => `${method} ${path} ${body}`.includes(words)) ?? [];
    if (fault === "refuse") return void incoming.socket.destroy();
    // The simulator's Stripe fails by itself, since it has to remember that; for what is beside it the proxy does.
    const isStripe = path.startsWith("/v1/");
    if (fault === "500-before" && !isStripe) return void response.writeHead(500).end("{}");
    const answer = await forward(fault === "500-before" ? withHeader(request, "simulator-fault", fault) : request);
    if (fault === "lose-answer") return void incoming.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  // Reusing a connection while it closes would add an unplanned fault.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    breakAt: (words, fault) => {
      broken.set(words, fault);
    },
    repair: (words) => {
      if (words === undefined) broken.clear();
      else broken.delete(words);
    },
    dispose: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type Answer = { status: number; headers: Record<string, string>; body: string };

/** Forwards requests with node:http, at a third of fetch's cost. */
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
