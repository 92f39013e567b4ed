import { type AppLoadContext, createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { markdownPath } from "../discovery/markdown-path";
import { earlyActions } from "./early-action.server";
import { isOverLimit } from "./guard/rate-limit.server";
import {
  FAILED,
  formRequest,
  type GateRules,
  judgeRequest,
  methodNotAllowed,
  type Passage,
  type PostedForm,
  passGate,
  type Refusal,
} from "./guard/request-guard.server";
import { type Address, addressBook, publicPages } from "./guard/route-matcher.server";
import { createLog, describeError, type Log } from "./log.server";
import { assetReader, type ReadAsset, withInlineStyle } from "./pages/inline-style.server";
import { isHtml, prefersMarkdown, withMarkdown } from "./pages/markdown.server";
import { answerCache, type Lifetime } from "./pages/page-cache.server";
import { CSP_REPORTS_PATH, takeCspReports } from "./reports/csp-reports.server";
import { failedPage, misconfigured, overTls } from "./response/fallbacks.server";
import { securityHeaders } from "./response/security-headers.server";
import { type Configuration, readConfiguration } from "./settings/configuration.server";

/** What the edge gives to every route. */
export interface EdgeContext {
  requestId: string;
  /** For the inline scripts of pages that hydrate; empty for all others. */
  nonce: string;
  release: string;
  configuration: Configuration;
  log: Log;
  /** Of a post; the request no longer has it. */
  form?: PostedForm | undefined;
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
  /** Set for a page out of memory: its headers are on it. */
  isDressed?: true;
}

/** A request, and what its address says about it. */
interface Asked {
  request: Request;
  url: URL;
  /** Undefined for an address that no route can have. */
  address: Address | undefined;
}

/** The site of one configuration. */
interface ConfiguredSite extends PreparedSite {
  configuration: Configuration;
  readAsset: ReadAsset;
  stripeOrigin: string | undefined;
}

/**
 * The site as one function: request id → configuration → gate → Remix → headers → one log line. Public pages come out of
 * memory after their first time.
 */
export function createSite(parts: SiteParts) {
  const addressOf = addressBook(parts.build);
  const { build, act } = earlyActions(parts.build);
  const remix = withMarkdown<AppLoadContext>(
    createRequestHandler(build, "production"),
    (path) => !addressOf(path)?.hydrates,
  );
  const publicPaths = new Set(publicPages(parts.build).flatMap((path) => [path, markdownPath(path)]));
  const pages = answerCache();

  /** What the gate, and behind it Remix, make of a request. */
  async function answer({ request, url, address }: Asked, edge: EdgeContext, site: ConfiguredSite): Promise<Answer> {
    const { configuration, log } = edge;
    const isReport = url.pathname === CSP_REPORTS_PATH;
    if (isReport && request.method === "POST") {
      const limit = (sender: Request) => isOverLimit(configuration.CSP_REPORT_RATE_LIMIT, sender, log);
      return plain(await takeCspReports(request, { addressOf, isOverLimit: limit, log }));
    }
    const { refusal, form }: Passage = isReport
      ? { refusal: methodNotAllowed("POST") }
      : await passGate(request, url, address, {
          ...site.forms,
          isOverLimit: (sender) => isOverLimit(configuration.SIGNUP_RATE_LIMIT, sender, log),
        });
    /** A page that says only this, at an address that no route takes. */
    const say = (words: Refusal) =>
      remix(new Request(new URL("/refused", url)), site.contextOf({ ...edge, refusal: words }));

    if (refusal === undefined) {
      const hydrates = address?.hydrates === true;
      const context = site.contextOf({ ...edge, form });
      const redirect = form && address && !address.isData ? await act(request, address, context) : undefined;
      if (redirect) return { response: redirect, hydrates, outcome: "answered" };
      const response = await remix(form ? formRequest(request) : request, context);
      if (!isLastResort(response)) return { response, hydrates, outcome: "answered" };
      const page = await say(FAILED);
      return isLastResort(page) ? failed(edge) : { response: page, hydrates: false, outcome: "failed" };
    }
    log.warn("refused", { status: refusal.status, reason: refusal.title });
    const page = form
      ? await remix(formRequest(request), site.contextOf({ ...edge, form, refusal }))
      : await say(refusal);
    const response = new Response(page.body, { status: refusal.status, headers: page.headers });
    for (const [name, value] of Object.entries(refusal.headers ?? {})) response.headers.set(name, value);
    return { response, hydrates: form !== undefined && address?.hydrates === true, outcome: "refused" };
  }

  /** The answer as it leaves: its stylesheet inside, its headers on it. */
  async function dress(
    { response, hydrates }: Answer,
    { url, address }: Asked,
    nonce: string,
    site: ConfiguredSite | undefined,
  ) {
    const styled =
      site && !hydrates && isHtml(response) ? await withInlineStyle(await response.text(), site.readAsset) : undefined;
    const dressed = styled ? new Response(styled.html, response) : response;
    const headers = await securityHeaders({
      secure: url.protocol === "https:",
      page: isHtml(response)
        ? {
            origin: url.origin,
            hydrates,
            nonce,
            stripeOrigin: site?.stripeOrigin,
            inlineStyle: styled?.style,
            reportsTo: CSP_REPORTS_PATH,
          }
        : undefined,
    });
    for (const [name, value] of Object.entries(headers)) dressed.headers.set(name, value);
    if (!isCacheable(dressed, address)) dressed.headers.set("Cache-Control", "no-store");
    return dressed;
  }

  /**
   * A public page out of memory, made of nothing of this request: only of its path, the form that it asks for, and the
   * site's own address. Undefined for everything else, and for a page that fails.
   */
  function publicPage({ request, url, address }: Asked, edge: EdgeContext, site: ConfiguredSite, lifetime: Lifetime) {
    if (!isRead(request.method) || !publicPaths.has(url.pathname)) return undefined;
    if (judgeRequest(request, url, address)) return undefined;
    const accept = prefersMarkdown(request) ? "text/markdown" : "text/html";
    // An isolate runs one release with one configuration: what else a page depends on is the year in its footer.
    const key = `${new Date().getUTCFullYear()} ${accept} ${url.pathname}`;
    const make = async () => {
      const ownUrl = new URL(url.pathname, site.configuration.SITE_URL);
      const plainly = { request: new Request(ownUrl, { headers: { Accept: accept } }), url: ownUrl, address };
      const made = await answer(plainly, { ...edge, requestId: "" }, site);
      edge.log.info("page_made", { route: url.pathname, format: accept, status: made.response.status });
      return dress(made, plainly, "", site);
    };
    return pages.answer(request, key, make, lifetime);
  }

  let read: ReturnType<typeof readConfiguration> | undefined;
  let configured: ConfiguredSite | undefined;

  return async function respond(request: Request, env: unknown, lifetime: Lifetime): Promise<Response> {
    const started = Date.now();
    const url = new URL(request.url);
    const asked = { request, url, address: addressOf(url.pathname) };
    const requestId = /^[\w-]{1,64}$/.exec(request.headers.get("CF-Ray") ?? "")?.[0] ?? crypto.randomUUID();
    const nonce = asked.address?.hydrates ? crypto.randomUUID() : "";
    const log = createLog(requestId);

    async function given(): Promise<Answer> {
      read ??= readConfiguration(env);
      if (read.status === "error") {
        log.error("misconfigured", { settings: read.problems.map(({ name, problem }) => `${name} ${problem}`) });
        return plain(misconfigured(url.pathname, read.problems, requestId));
      }
      const { configuration } = read;
      configured ??= {
        ...parts.prepare(configuration),
        configuration,
        readAsset: assetReader(configuration.ASSETS),
        stripeOrigin: configuration.STRIPE_JS_URL && new URL(configuration.STRIPE_JS_URL).origin,
      };
      const isPlainHttp = url.protocol === "http:" && configuration.SITE_URL.startsWith("https:");
      if (isPlainHttp) return plain(overTls(request.method, url));
      const edge = { requestId, nonce, log, configuration, release: releaseOf(env) };
      const page = await publicPage(asked, edge, configured, lifetime);
      return page ? { ...plain(page), isDressed: true } : answer(asked, edge, configured);
    }

    const found = await given().catch((error: unknown) => {
      log.error("unexpected", describeError(error));
      return failed({ requestId });
    });
    const dressed = found.isDressed ? found.response : await dress(found, asked, nonce, configured);
    const answered = request.method === "HEAD" ? new Response(null, dressed) : dressed;
    answered.headers.set("X-Request-Id", requestId);
    log.end({
      method: request.method,
      route: asked.address?.route ?? "unknown",
      status: answered.status,
      outcome: answered.status >= 500 ? "failed" : found.outcome,
      duration_ms: Date.now() - started,
    });
    return answered;
  };
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Only what is the same for everyone may be kept: no page with a visitor's data, no cookie, no failure. */
function isCacheable({ status, headers }: Response, address: Address | undefined): boolean {
  return !address?.hydrates && (status === 200 || status === 304) && !headers.has("Set-Cookie");
}

/** What Remix answers when even its error page failed, as it does for an action that throws: one line of text. */
function isLastResort(response: Response): boolean {
  return response.status === 500 && response.headers.get("Content-Type") === "text/plain";
}

function failed({ requestId }: Pick<EdgeContext, "requestId">): Answer {
  return { ...plain(failedPage(requestId)), outcome: "failed" };
}

function plain(response: Response): Answer {
  return { response, hydrates: false, outcome: "answered" };
}

function releaseOf(env: unknown): string {
  const metadata = typeof env === "object" && env !== null && "RELEASE" in env ? env.RELEASE : undefined;
  const id = typeof metadata === "object" && metadata !== null && "id" in metadata ? metadata.id : undefined;
  return typeof id === "string" && id !== "" ? id : "unknown";
}
