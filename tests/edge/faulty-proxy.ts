import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { freePort } from "../workers";

/** What happens to the requests that match: refused before they arrive, or answered although nobody hears it. */
export type Fault = "refuse" | "lose-answer";

/** A proxy before a Worker that fails on demand: what the caller then sees is what a crash at that point leaves. */
export type FaultyProxy = {
  url: string;
  /** From now on, requests to paths that start with `path` fail so. */
  breakAt: (path: string, fault: Fault) => void;
  repair: () => void;
  dispose: () => Promise<void>;
};

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let broken: { path: string; fault: Fault } | undefined;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const fault = broken && path.startsWith(broken.path) ? broken.fault : undefined;
    if (fault === "refuse") return void request.socket.destroy();

    const answer = await fetch(new URL(path, target), {
      method: request.method,
      headers: forwardedHeaders(request),
      body: request.method === "GET" ? undefined : await text(request),
    });
    const body = await answer.text();
    if (fault === "lose-answer") return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(body);
  }

  const port = await freePort();
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    breakAt: (path, fault) => {
      broken = { path, fault };
    },
    repair: () => {
      broken = undefined;
    },
    dispose: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function forwardedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const wanted = ["authorization", "content-type", "idempotency-key", "stripe-version"];
  return Object.fromEntries(
    wanted.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])),
  );
}
