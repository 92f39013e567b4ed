import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Fault } from "./faults";

/** What goes wrong with a request: how its answer fails, and whether the work was done all the same. */
export type Mishap = { fault: Fault; commits: boolean };

/** A front of a subscription API that lets requests go wrong; its caller cannot tell it from the API. */
export interface FaultInjector {
  url: string;
  /** From now on, each request is asked for its mishap. */
  decide(by: () => Mishap | undefined): void;
  dispose(): Promise<void>;
}

/** @param target the origin of the API behind it */
export async function startFaultInjector(target: string): Promise<FaultInjector> {
  let mishapOf: () => Mishap | undefined = () => undefined;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const mishap = mishapOf();
    if (mishap && !mishap.commits) return mishap.fault(response);
    const answer = await fetch(target + request.url, {
      method: request.method,
      headers: {
        "Content-Type": request.headers["content-type"] ?? "",
        "Idempotency-Key": String(request.headers["idempotency-key"]),
        // One that waits in a pool may be closed just when it is used again.
        Connection: "close",
      },
      body,
    });
    const answered = await answer.text();
    if (mishap) return mishap.fault(response);
    response.writeHead(answer.status, { "Content-Type": "application/json" }).end(answered);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    decide: (by) => {
      mishapOf = by;
    },
    dispose: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
