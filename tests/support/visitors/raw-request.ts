import { request as open } from "node:http";
import { text } from "node:stream/consumers";

/** A request as sent over the wire, without the rules and changes of `fetch`. */
export type RawRequest = {
  method?: string;
  /** As written in the request line, not normalized. */
  path: string;
  /** Sent unchanged; names may repeat. Adds `Connection: close` and a missing Host. */
  headers?: [name: string, value: string][];
  body?: string | Uint8Array;
  /** Leaves the request open after the body, like a client that never sends the rest. */
  unfinished?: boolean;
};

/** Sends a request to a Worker and reads the answer; fails when the connection breaks off without one. */
export function sendRaw(url: string, { method = "GET", path, headers = [], body, unfinished }: RawRequest) {
  const { port, host } = new URL(url);
  const ownHost = headers.some(([name]) => name === "Host") ? [] : ["Host", host];
  const sent = [...ownHost, "Connection", "close", ...headers.flat()];
  return new Promise<{ status: number; headers: Headers; body: string }>((resolve, reject) => {
    let answered = false;
    const request = open({ host: "127.0.0.1", port, method, path, headers: sent, agent: false });
    request.on("response", async (response) => {
      answered = true;
      const answer = { status: response.statusCode ?? 0, headers: new Headers(), body: await text(response) };
      for (const [name, values = []] of Object.entries(response.headersDistinct)) {
        for (const value of values) answer.headers.append(name, value);
      }
      request.destroy();
      resolve(answer);
    });
    // After an early answer the rest of the request is unread, and the connection is reset.
    request.on("error", (error) => !answered && reject(error));
    if (body !== undefined) request.write(body);
    if (!unfinished) request.end();
    else request.flushHeaders();
  });
}
