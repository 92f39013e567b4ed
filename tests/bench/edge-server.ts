import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./root";

/*
 * Stands in for Cloudflare in front of the Worker, for browsers: static files by their type, and everything compressed as
 * it does on the way.
 */

const TYPES: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** The policy's directive, and where a page's one stylesheet stands in the control. */
const STYLE_SOURCES = /style-src [^;]+/;
const STYLE_PATH = "/linked.css";

export interface EdgeServer {
  url: string;
  dispose(): void;
}

/** How many bytes an answer has on the way: as Cloudflare compresses while answering. */
export function compressed(body: Buffer | string, encoding: "br" | "gzip"): Buffer {
  if (encoding === "gzip") return gzipSync(body, { level: 6 });
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/**
 * @param worker origin of the Worker
 * @param style `linked`: the control, which has each page's stylesheet in a file of its own
 */
export async function startEdgeServer(worker: string, style: "inline" | "linked"): Promise<EdgeServer> {
  let stylesheet = "";
  const server = createServer(async (request, response) => {
    const accepts = String(request.headers["accept-encoding"] ?? "");
    const encoding = /\bbr\b/.test(accepts) ? "br" : /\bgzip\b/.test(accepts) ? "gzip" : undefined;
    const path = request.url ?? "/";
    try {
      if (path === STYLE_PATH) return give(response, { "content-type": "text/css" }, stylesheet, encoding);
      const file = await readFile(join(root, "public", path.split("?")[0] ?? "")).catch(() => undefined);
      if (file) return give(response, { "content-type": TYPES[extname(path)] ?? "" }, file, encoding);
      const answer = await fetch(worker + path, { headers: { accept: String(request.headers.accept ?? "*/*") } });
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== "content-length"));
      const html = await answer.text();
      const inline = style === "linked" ? /<style>([^<]*)<\/style>/.exec(html) : null;
      if (!inline) return give(response, headers, html, encoding, answer.status);
      stylesheet = inline[1] ?? "";
      const policy = headers["content-security-policy"]?.replace(STYLE_SOURCES, "style-src 'self'") ?? "";
      const linked = html.replace(inline[0], `<link rel="stylesheet" href="${STYLE_PATH}"/>`);
      return give(response, { ...headers, "content-security-policy": policy }, linked, encoding, answer.status);
    } catch {
      response.writeHead(502).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    dispose() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function give(
  response: ServerResponse,
  headers: Record<string, string>,
  body: Buffer | string,
  encoding: "br" | "gzip" | undefined,
  status = 200,
): void {
  const isText = /text|json|svg|javascript/.test(headers["content-type"] ?? "");
  if (!isText || encoding === undefined) {
    response.writeHead(status, headers).end(body);
    return;
  }
  response.writeHead(status, { ...headers, "content-encoding": encoding }).end(compressed(body, encoding));
}
