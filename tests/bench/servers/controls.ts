import { compatibilityDate } from "./site-worker";
import { type RunningWorkerd, startWorkerd } from "./workerd";

/*
 * What the site is measured beside, in the same runtime: the least that an answer can cost.
 */

/** Headers that the runtime writes itself. */
const ITS_OWN = new Set(["content-length", "transfer-encoding", "connection", "keep-alive", "date"]);

/** A Worker that answers as the site has answered once: the same status, headers and bytes, nothing else. */
export async function startConstant(response: Response): Promise<RunningWorkerd> {
  const headers = [...response.headers].filter(([name]) => !ITS_OWN.has(name));
  const script = `const body = new TextEncoder().encode(${JSON.stringify(await response.text())});
const headers = new Headers(${JSON.stringify(headers)});
export default { fetch: () => new Response(body, { status: ${response.status}, headers }) };
`;
  return startWorkerd("constant", { constant: { script, compatibilityDate } });
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
