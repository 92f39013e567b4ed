import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the site sent to the API. */
export interface UpstreamCall {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A subscription API that does whatever a test says, and remembers every call. */
export async function startUpstream() {
  const calls: UpstreamCall[] = [];
  let answer: (response: ServerResponse, request: IncomingMessage) => void = (response) => response.end();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    calls.push({ url: request.url ?? "", headers: request.headers, body });
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    answers(next: typeof answer) {
      calls.length = 0;
      answer = next;
    },
    answersJson(status: number, body: unknown) {
      calls.length = 0;
      answer = (response) =>
        response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    },
    dispose() {
      server.closeAllConnections();
      server.close();
    },
  };
}
