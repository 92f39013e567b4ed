import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { sendRaw } from "../visitors/raw-request";

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
  // Reusing a connection while it closes would add an unplanned fault.
  server.keepAliveTimeout = 60_000;
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

export const neverAnswers: Behavior = () => {};

/** A request is refused, its answer is lost after the work, or it gets a 500 without the work. */
type Fault = "refuse" | "lose-answer" | "500-before";

const SENT_ON =
  /^(authorization|content-(type|length)|idempotency-key|stripe-(version|signature)|webhook-\w+|x-request-id)$/;
const SENT_BACK = /^(content-type|request-id|stripe-should-retry)$/;

/**
 * A proxy in front of a Worker that fails on demand.
 * @param options.keepsHost whether the Worker sees the proxy's own origin as its URL
 */
export async function startFaultyProxy(target: string, { keepsHost = false } = {}) {
  const broken = new Map<string, Fault>();
  const { url, answers, dispose } = await startUpstream();
  answers(async (response, { method, url: path, headers, body }) => {
    const [, fault] = [...broken].find(([words]) => `${method} ${path} ${body}`.includes(words)) ?? [];
    if (fault === "refuse") return response.destroy();
    // The simulator's Stripe fails by itself, since it has to remember it; for the paths beside it the proxy does.
    if (fault === "500-before" && !path.startsWith("/v1/")) return response.writeHead(500).end("{}");
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      SENT_ON.test(name) ? [[name, String(value)]] : [],
    );
    if (keepsHost) sent.push(["Host", headers.host ?? ""]);
    if (fault === "500-before") sent.push(["simulator-fault", fault]);
    const answer = await sendRaw(target, { method, path, headers: sent, ...(body !== "" && { body }) });
    if (fault === "lose-answer") return response.destroy();
    const back = [...answer.headers].filter(([name]) => SENT_BACK.test(name));
    return response.writeHead(answer.status, Object.fromEntries(back)).end(answer.body);
  });
  return {
    url,
    /** Requests whose method, path or body contain this text, such as `POST /v1/customers`, fail from now on. */
    breakAt: (words: string, fault: Fault) => void broken.set(words, fault),
    repair: () => broken.clear(),
    dispose,
  };
}
