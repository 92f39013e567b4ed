import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root";
import { compatibilityDate } from "./site-worker";
import { type RunningWorkerd, startWorkerd } from "./workerd";

/*
 * What the site is measured against, in the same runtime: the least that an answer can cost.
 */

/** A page as the site sent it. */
export interface SentPage {
  body: string;
  headers: [string, string][];
}

/** Headers that the runtime writes itself. */
const ITS_OWN = new Set(["content-length", "transfer-encoding", "connection", "keep-alive", "date"]);

export async function sentPage(address: string): Promise<SentPage> {
  const response = await fetch(address, { headers: { accept: "text/html" } });
  if (response.status !== 200) throw new Error(`${address} answers ${response.status}`);
  return { body: await response.text(), headers: [...response.headers].filter(([name]) => !ITS_OWN.has(name)) };
}

/**
 * A Worker that answers with a page as a constant: the same bytes, the same headers, nothing else.
 * @param form as `bytes` it costs less than as a `string`, which the runtime encodes each time
 */
export function startConstant(
  name: string,
  { body, headers }: SentPage,
  form: "string" | "bytes",
): Promise<RunningWorkerd> {
  const text = JSON.stringify(body);
  const script = `const body = ${form === "bytes" ? `new TextEncoder().encode(${text})` : text};
const headers = new Headers(${JSON.stringify(headers)});
export default { fetch: () => new Response(body, { headers }) };
`;
  return startWorkerd(name, { constant: { script, compatibilityDate } });
}

/** The runtime's own file server with a page as its one file; no Worker runs. Its file is at `/page.html`. */
export async function startStaticAsset({ body }: SentPage): Promise<RunningWorkerd> {
  const folder = join(root, "build/bench/asset");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "page.html"), body);
  return startWorkerd("asset", { asset: { folder } }, { firstPath: "/page.html" });
}

/** A subscription API that takes everything at once. */
export function startUpstreamWorkerd(): Promise<RunningWorkerd> {
  const script = `export default {
  async fetch(request) {
    await request.arrayBuffer();
    return Response.json({ client_secret: "seti_1Bench_secret_Bench" });
  },
};
`;
  return startWorkerd("upstream", { upstream: { script, compatibilityDate } });
}

/** A Worker that parses the sign-up form and forwards it as JSON: no check, no session, no log. */
export function startBareForwarder(upstreamUrl: string): Promise<RunningWorkerd> {
  const script = `export default {
  async fetch(request) {
    const fields = Object.fromEntries(new URLSearchParams(await request.text()));
    const answer = await fetch("${upstreamUrl}/subscription", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(fields),
    });
    const { client_secret } = await answer.json();
    return new Response(null, { status: 303, headers: { Location: "/subscription", "Set-Cookie": client_secret } });
  },
};
`;
  return startWorkerd("forwarder", { forwarder: { script, compatibilityDate } });
}
