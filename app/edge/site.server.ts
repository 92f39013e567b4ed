import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { type Configuration, readConfiguration } from "./configuration.server";
import { type GateRules, passGate, type Refusal } from "./gate.server";
import { createLog, describeError, type Log } from "./log.server";
import { withMarkdown } from "./markdown.server";
import { securityHeaders } from "./security-headers.server";

/** What the edge gives to every route. */
export interface EdgeContext {
  requestId: string;
  /** For the inline scripts of pages that hydrate. */
  nonce: string;
  release: string;
  configuration: Configuration;
  log: Log;
  /** Set when the gate refused the request: the page says so instead of answering. */
  refusal?: Refusal;
}

/** What one configuration gives: the gate's rules, and the context of each request. */
export interface PreparedSite {
  gate: GateRules;
  contextOf(edge: EdgeContext): AppLoadContext;
}

export interface SiteParts {
  build: ServerBuild;
  /** Addresses that hydrate, take visitors' data and are never kept in a cache. */
  privatePaths: RegExp;
  /** Called once, with the configuration that was read. */
  prepare(configuration: Configuration): PreparedSite;
}

/** The site as one function: request id → configuration → gate → Remix → headers → one log line. */
export function createSite(parts: SiteParts) {
  const remix = withMarkdown<AppLoadContext>(
    createRequestHandler(parts.build, "production"),
    (path) => !parts.privatePaths.test(path),
  );
  let read: ReturnType<typeof readConfiguration> | undefined;
  let prepared: PreparedSite | undefined;

  return async function respond(request: Request, env: unknown): Promise<Response> {
    const started = Date.now();
    const requestId = /^[\w-]{1,64}$/.exec(request.headers.get("CF-Ray") ?? "")?.[0] ?? crypto.randomUUID();
    const log = createLog(requestId);
    const url = new URL(request.url);
    const nonce = crypto.randomUUID();
    const isPrivate = parts.privatePaths.test(url.pathname);
    read ??= readConfiguration(env);
    let stripeOrigin: string | undefined;

    const answer = async (): Promise<Response> => {
      if (read?.status !== "success") return misconfigured(url, read?.problems ?? [], requestId, log);
      const { configuration } = read;
      stripeOrigin = configuration.STRIPE_JS_URL && new URL(configuration.STRIPE_JS_URL).origin;
      prepared ??= parts.prepare(configuration);
      const edge = { requestId, nonce, configuration, log, release: releaseOf(env) };
      const passed = await passGate(request, prepared.gate);
      if (passed instanceof Request) return remix(passed, prepared.contextOf(edge));
      log.warn("refused", { status: passed.status, reason: passed.title });
      const page = await remix(new Request(new URL("/refused", url)), prepared.contextOf({ ...edge, refusal: passed }));
      return new Response(page.body, {
        status: passed.status,
        headers: { ...Object.fromEntries(page.headers), ...passed.headers },
      });
    };

    let response: Response;
    try {
      response = await answer();
    } catch (error) {
      log.error("unexpected", describeError(error));
      response = plainPage(500, "Unexpected Application Error", requestId);
    }
    response = new Response(request.method === "HEAD" ? null : response.body, response);
    const headers = await securityHeaders({
      hydrates: isPrivate,
      nonce,
      stripeOrigin,
      secure: url.protocol === "https:",
    });
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    if (isPrivate || response.status !== 200 || response.headers.has("Set-Cookie")) {
      response.headers.set("Cache-Control", "no-store");
    }
    log.info("request", {
      method: request.method,
      path: pathForLog(url.pathname),
      status: response.status,
      duration_ms: Date.now() - started,
    });
    return response;
  };
}

/** The path without what a visitor may have put into it. */
function pathForLog(pathname: string): string {
  return pathname
    .replace(/^\/subscription\/.*/, "/subscription/:id")
    .replace(/[^/]*(?:@|%40)[^/]*/g, ":redacted")
    .slice(0, 200);
}

function releaseOf(env: unknown): string {
  const metadata = typeof env === "object" && env !== null && "RELEASE" in env ? env.RELEASE : undefined;
  const id = typeof metadata === "object" && metadata !== null && "id" in metadata ? metadata.id : undefined;
  return typeof id === "string" && id !== "" ? id : "unknown";
}

function misconfigured(url: URL, problems: { name: string; problem: string }[], requestId: string, log: Log): Response {
  log.error("misconfigured", { settings: problems.map(({ name, problem }) => `${name} ${problem}`) });
  if (url.pathname === "/health") {
    return Response.json({ status: "error", problems }, { status: 503 });
  }
  return plainPage(503, "Service temporarily unavailable. Please try again later.", requestId);
}

/** A page for when nothing else can be rendered. */
function plainPage(status: number, message: string, requestId: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request id: ${requestId}</p></html>`;
  return new Response(html, { status, headers: { "Content-Type": "text/html; charset=utf-8" } });
}
