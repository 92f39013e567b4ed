import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { sendRaw } from "../visitors/raw-request";

/** A request to an upstream. */
type UpstreamCall = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** How an upstream answers a call, or fails to. */
export type Behavior = (response: ServerResponse, call: UpstreamCall) => unknown;

export type Upstream = Awaited<ReturnType<typeof startUpstream>>;

/** A subscription API, or another service, whose answers a test sets: 204 at first. It records every call. */
export async function startUpstream() {
  /** Since its answer was last set. */
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
  // Reusing a connection while it closes would add an unplanned fault.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const answers = (as: Behavior) => {
    calls.length = 0;
    behavior = as;
  };
  return {
    /** Its origin, without a slash at the end. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answers,
    answersJson: (status: number, body: unknown) => answers(answersWith(status, JSON.stringify(body))),
    dispose() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const answersWith =
  (status: number, body: string): Behavior =>
  (response) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(body);

export const neverAnswers: Behavior = () => {};

/** A request waits, is refused, its answer is lost after the work, or it gets a 500 without the work. */
type Fault = "wait" | "refuse" | "lose-answer" | "500-before";

const NOT_PASSED_ON = /^(host|connection|keep-alive|accept-encoding|content-encoding|transfer-encoding)$/;

/**
 * A proxy in front of a Worker that fails on demand.
 * @param options.keepsHost whether the Worker sees the proxy's own origin as its URL
 */
export async function startFaultyProxy(target: string, { keepsHost = false } = {}) {
  const broken = new Map<string, Fault>();
  const waiting: (() => void)[] = [];
  const { answers, ...upstream } = await startUpstream();
  answers(async (response, { method, url: path, headers, body }) => {
    const [, fault] = [...broken].find(([words]) => `${method} ${path} ${body}`.includes(words)) ?? [];
    if (fault === "refuse") return response.destroy();
    if (fault === "wait") await new Promise<void>((resolve) => waiting.push(resolve));
    // The simulator's Stripe fails by itself, since it has to remember it; for the paths beside it the proxy does.
    if (fault === "500-before" && !path.startsWith("/v1/")) return response.writeHead(500).end("{}");
    const sent = Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.test(name));
    if (keepsHost) sent.push(["Host", headers.host]);
    if (fault === "500-before") sent.push(["simulator-fault", fault]);
    const own = sent.map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await sendRaw(target, { method, path, headers: own, ...(body !== "" && { body }) });
    if (fault === "lose-answer") return response.destroy();
    const back = [...answer.headers].filter(([name]) => !NOT_PASSED_ON.test(name));
    return response.writeHead(answer.status, Object.fromEntries(back)).end(answer.body);
  });
  return {
    ...upstream,
    /** Requests whose method, path or body contain this text, such as `POST /v1/customers`, fail from now on. */
    breakAt: (words: string, fault: Fault) => void broken.set(words, fault),
    repair() {
      broken.clear();
      for (const goOn of waiting.splice(0)) goOn();
    },
    /** How many requests wait. */
    waiting,
  };
}
