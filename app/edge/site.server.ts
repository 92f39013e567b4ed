import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { type Configuration, type ConfigurationProblem, readConfiguration } from "./configuration.server";
import { CSP_REPORTS_PATH, takeCspReports } from "./csp-reports.server";
import { FAILED, type GateRules, methodNotAllowed, passGate, type Refusal } from "./gate.server";
import { createLog, describeError, type Log } from "./log.server";
import { withMarkdown } from "./markdown.server";
import { isOverLimit } from "./rate-limit.server";
import { type Address, addressBook } from "./routing.server";
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

/** What one configuration gives: the gate's rules about forms, and the context of each request. */
export interface PreparedSite {
  forms: Pick<GateRules, "fields" | "vouches">;
  contextOf(edge: EdgeContext): AppLoadContext;
}

export interface SiteParts {
  build: ServerBuild;
  /** Called once, with the configuration that was read. */
  prepare(configuration: Configuration): PreparedSite;
}

/** An answer, and what its headers and its log line are made from. */
interface Answer {
  response: Response;
  /** Whether what it holds runs the framework's script. */
  hydrates: boolean;
  outcome: "answered" | "refused" | "failed";
}

/** The site as one function: request id → configuration → gate → Remix → headers → one log line. */
export function createSite(parts: SiteParts) {
  const addressOf = addressBook(parts.build);
  const remix = withMarkdown<AppLoadContext>(
    createRequestHandler(parts.build, "production"),
    (path) => !addressOf(path)?.hydrates,
  );
  let read: ReturnType<typeof readConfiguration> | undefined;
  let prepared: PreparedSite | undefined;

  async function answer(request: Request, edge: EdgeContext, address: Address | undefined): Promise<Answer> {
    const { configuration, log } = edge;
    const url = new URL(request.url);
    if (url.protocol === "http:" && configuration.SITE_URL.startsWith("https:")) return overTls(request.method, url);
    if (url.pathname === CSP_REPORTS_PATH && request.method === "POST") {
      const limit = (sender: Request) => isOverLimit(configuration.CSP_REPORT_RATE_LIMIT, sender, log);
      return plain(await takeCspReports(request, { addressOf, isOverLimit: limit, log }));
    }
    prepared ??= parts.prepare(configuration);
    const { forms, contextOf } = prepared;
    const { refusal, request: passed } =
      url.pathname === CSP_REPORTS_PATH
        ? { refusal: methodNotAllowed("POST") }
        : await passGate(request, address, {
            ...forms,
            isOverLimit: (sender) => isOverLimit(configuration.SIGNUP_RATE_LIMIT, sender, log),
          });
    const hydrates = passed !== undefined && address?.hydrates === true;
    /** A page that says only this, at an address that no route takes. */
    const say = (words: Refusal) =>
      remix(new Request(new URL("/refused", url)), contextOf({ ...edge, refusal: words }));

    if (refusal === undefined) {
      const response = await remix(passed, contextOf(edge));
      if (!isLastResort(response)) return { response, hydrates, outcome: "answered" };
      const page = await say(FAILED);
      return isLastResort(page) ? failed(edge.requestId) : { response: page, hydrates: false, outcome: "failed" };
    }
    log.warn("refused", { status: refusal.status, reason: refusal.title });
    const page = passed ? await remix(passed, contextOf({ ...edge, refusal })) : await say(refusal);
    const response = new Response(page.body, { status: refusal.status, headers: page.headers });
    for (const [name, value] of Object.entries(refusal.headers ?? {})) response.headers.set(name, value);
    return { response, hydrates, outcome: "refused" };
  }

  return async function respond(request: Request, env: unknown): Promise<Response> {
    const started = Date.now();
    const requestId = /^[\w-]{1,64}$/.exec(request.headers.get("CF-Ray") ?? "")?.[0] ?? crypto.randomUUID();
    const nonce = crypto.randomUUID();
    const log = createLog(requestId);
    const url = new URL(request.url);
    const address = addressOf(url.pathname);
    const edge = { requestId, nonce, log, release: releaseOf(env) };
    read ??= readConfiguration(env);

    let given: Answer;
    try {
      given =
        read.status === "success"
          ? await answer(request, { ...edge, configuration: read.configuration }, address)
          : plain(misconfigured(url, read.problems, requestId, log));
    } catch (error) {
      log.error("unexpected", describeError(error));
      given = failed(requestId);
    }
    const { response, hydrates, outcome } = given;
    const answered = new Response(request.method === "HEAD" ? null : response.body, response);
    const stripeJs = read.status === "success" ? read.configuration.STRIPE_JS_URL : undefined;
    const headers = await securityHeaders({
      hydrates,
      nonce,
      stripeOrigin: stripeJs && new URL(stripeJs).origin,
      secure: url.protocol === "https:",
      reportsTo: CSP_REPORTS_PATH,
    });
    for (const [name, value] of Object.entries(headers)) answered.headers.set(name, value);
    answered.headers.set("X-Request-Id", requestId);
    if (!isCacheable(answered, address)) answered.headers.set("Cache-Control", "no-store");
    log.info("request", {
      method: request.method,
      route: address?.route ?? "unknown",
      status: answered.status,
      outcome: answered.status >= 500 ? "failed" : outcome,
      duration_ms: Date.now() - started,
    });
    return answered;
  };
}

/** Only what is the same for everyone may be kept: no page with a visitor's data, no cookie, no failure. */
function isCacheable({ status, headers }: Response, address: Address | undefined): boolean {
  return !address?.hydrates && (status === 200 || status === 304) && !headers.has("Set-Cookie");
}

/** The same address with TLS. A form that came without it is not taken: it would have to be filled in again there. */
function overTls(method: string, url: URL): Answer {
  const secure = new URL(url);
  secure.protocol = "https:";
  const isRead = method === "GET" || method === "HEAD";
  return plain(new Response(null, { status: isRead ? 301 : 303, headers: { Location: secure.href } }));
}

/** What Remix answers when even its error page failed, as it does for an action that throws: one line of text. */
function isLastResort(response: Response): boolean {
  return response.status === 500 && response.headers.get("Content-Type") === "text/plain";
}

function releaseOf(env: unknown): string {
  const metadata = typeof env === "object" && env !== null && "RELEASE" in env ? env.RELEASE : undefined;
  const id = typeof metadata === "object" && metadata !== null && "id" in metadata ? metadata.id : undefined;
  return typeof id === "string" && id !== "" ? id : "unknown";
}

function misconfigured(url: URL, problems: ConfigurationProblem[], requestId: string, log: Log): Response {
  log.error("misconfigured", { settings: problems.map(({ name, problem }) => `${name} ${problem}`) });
  if (url.pathname === "/health") return Response.json({ status: "error", problems }, { status: 503 });
  return plainPage(503, "Service temporarily unavailable. Please try again later.", requestId);
}

function failed(requestId: string): Answer {
  return { ...plain(plainPage(500, "Unexpected Application Error", requestId)), outcome: "failed" };
}

function plain(response: Response): Answer {
  return { response, hydrates: false, outcome: "answered" };
}

/** A page for when nothing else can be rendered. */
function plainPage(status: number, message: string, requestId: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><h1>${message}</h1><p>Request id: ${requestId}</p></html>`;
  return new Response(html, { status, headers: { "Content-Type": "text/html; charset=utf-8" } });
}
