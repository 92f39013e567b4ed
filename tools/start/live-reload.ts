import { createHash } from "node:crypto";
import type { MiniflareOptions, WorkerOptions } from "miniflare";

const PATH = "/cdn-cgi/dev/started";
const ASKED_EVERY_MS = 400;

/** The site behind a Worker that adds a script to its pages, which loads them again once the site was started again. */
export function withLiveReload(site: WorkerOptions): MiniflareOptions {
  const started = String(Date.now());
  const script = `setInterval(async () => {
  const started = await fetch("${PATH}").then((response) => response.ok && response.text()).catch(() => false);
  if (started && started !== "${started}") location.reload();
}, ${ASKED_EVERY_MS});`;
  // As in the policy of a page: https://www.w3.org/TR/CSP3/#grammardef-hash-source
  const hash = `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
  const name = "live-reload";
  const entry: WorkerOptions = {
    name,
    compatibilityDate: "2026-04-24",
    modules: [{ type: "ESModule", path: `${name}.mjs`, contents: WORKER }],
    bindings: { STARTED: started, SCRIPT: script, HASH: hash },
    serviceBindings: { SITE: String(site.name) },
  };
  return { workers: [entry, site] };
}

const WORKER = `
function allowing(policy, name, source) {
  const directive = new RegExp("(^|; *)" + name + " ([^;]*)");
  if (!directive.test(policy)) return policy + "; " + name + " " + source;
  return policy.replace(directive, (_, before, sources) =>
    before + name + " " + (sources === "'none'" ? "" : sources + " ") + source);
}

export default {
  async fetch(request, { SITE, STARTED, SCRIPT, HASH }) {
    if (new URL(request.url).pathname === "${PATH}") return new Response(STARTED);
    // A page that has not changed would come without its body, and without the script.
    const whole = new Request(request);
    whole.headers.delete("if-none-match");
    const response = await SITE.fetch(whole);
    if (!response.headers.get("content-type")?.startsWith("text/html")) return response;
    const page = new HTMLRewriter()
      .on("body", { element: (body) => { body.append("<script>" + SCRIPT + "</script>", { html: true }); } })
      .transform(response);
    const answer = new Response(page.body, page);
    answer.headers.delete("etag");
    const policy = answer.headers.get("content-security-policy");
    if (policy) {
      const added = allowing(allowing(policy, "script-src", HASH), "connect-src", "'self'");
      answer.headers.set("content-security-policy", added);
    }
    return answer;
  },
};`;
