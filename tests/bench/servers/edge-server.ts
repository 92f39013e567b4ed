import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "../root";

const TYPES: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** A body as Cloudflare compresses it while answering. */
export function compressed(body: Buffer | string, encoding: "br" | "gzip"): Buffer {
  if (encoding === "gzip") return gzipSync(body, { level: 6 });
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

/**
 * Stands in for Cloudflare in front of the Worker, for a browser that takes brotli: static files by their type, and
 * text compressed.
 * @param worker origin of the Worker
 */
export async function startEdgeServer(worker: string): Promise<{ url: string; dispose(): void }> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    try {
      const file = await readFile(join(root, "public", path.split("?")[0] ?? "")).catch(() => undefined);
      const answer = file ? undefined : await fetch(worker + path);
      const headers = answer
        ? Object.fromEntries([...answer.headers].filter(([name]) => name !== "content-length"))
        : { "content-type": TYPES[extname(path)] ?? "" };
      const body = file ?? Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0));
      const isText = /text|json|svg|javascript/.test(headers["content-type"] ?? "");
      const encoding = isText ? { "content-encoding": "br" } : {};
      response.writeHead(answer?.status ?? 200, { ...headers, ...encoding });
      response.end(isText ? compressed(body, "br") : body);
    } catch {
      response.writeHead(502).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    dispose() {
      server.closeAllConnections();
      server.close();
    },
  };
}
