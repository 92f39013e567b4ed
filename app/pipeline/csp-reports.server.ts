import type { AppLoadContext } from "@remix-run/cloudflare";
import * as z from "zod/mini";
import { readBoundedText } from "../shared/bounded-body";
import { isOverLimit, RETRY_AFTER_SECONDS } from "../shared/limits/rate-limit";
import { rateLimitKeyOf } from "../shared/limits/rate-limit-key";
import type { Middleware } from "./middleware.server";
import { CSP_REPORTS_PATH, withSecurityHeaders } from "./response/security-headers.server";
import type { RouteMatcher } from "./route-matcher.server";

const MAX_BYTES = 8 * 1024;
const MAX_REPORTS = 5;
const DEADLINE_MS = 5_000;

/** The formats of `report-uri` (CSP 2) and of `report-to` (Reporting API). */
const reports = z.union([
  z.pipe(
    z.object({
      "csp-report": z.object({
        "document-uri": z.string(),
        "effective-directive": z.optional(z.string()),
        "violated-directive": z.optional(z.string()),
        "blocked-uri": z.optional(z.string()),
      }),
    }),
    z.transform(({ "csp-report": report }) => [
      {
        page: report["document-uri"],
        // Old browsers send only violated-directive, with the sources after its name.
        directive: report["effective-directive"] ?? report["violated-directive"]?.split(" ")[0] ?? "",
        blocked: report["blocked-uri"] ?? "",
      },
    ]),
  ),
  z.array(
    z.pipe(
      z.object({
        type: z.literal("csp-violation"),
        body: z.object({
          documentURL: z.string(),
          effectiveDirective: z.string(),
          blockedURL: z.optional(z.nullable(z.string())),
        }),
      }),
      z.transform(({ body }) => ({
        page: body.documentURL,
        directive: body.effectiveDirective,
        blocked: body.blockedURL ?? "",
      })),
    ),
  ),
]);

/** Logs CSP violations. Anyone can post a report, so only known directives, route patterns and origins are logged. */
export function cspReports(matchRoute: RouteMatcher): Middleware<AppLoadContext> {
  return async (request, context, next) => {
    const { url, configuration, ip, log } = context;
    if (url.pathname !== CSP_REPORTS_PATH) return next(request, context);
    const answer = (status: number, headers: Record<string, string> = {}) =>
      withSecurityHeaders(new Response(null, { status, headers }), url);

    if (request.method !== "POST") return answer(405, { Allow: "POST" });
    const type = request.headers.get("Content-Type") ?? "";
    if (!/^application\/(csp-report|reports\+json|json)\s*(;|$)/i.test(type)) return answer(415);
    if (Number(request.headers.get("Content-Length") ?? 0) > MAX_BYTES) return answer(413);
    if (await isOverLimit(configuration.CSP_REPORT_RATE_LIMIT, rateLimitKeyOf(ip), log)) {
      return answer(429, { "Retry-After": RETRY_AFTER_SECONDS });
    }
    const read = await readReports(request);
    if (typeof read === "number") return answer(read);
    for (const { page, directive, blocked } of read) {
      log.warn("csp_violation", {
        directive: DIRECTIVES.has(directive) ? directive : "other",
        blocked: originOf(blocked),
        route: patternOf(page, url.origin, matchRoute),
      });
    }
    return answer(204);
  };
}

function patternOf(page: string, ownOrigin: string, matchRoute: RouteMatcher): string {
  if (!URL.canParse(page) || new URL(page).origin !== ownOrigin) return "foreign";
  return matchRoute(new URL(page).pathname)?.pattern ?? "unknown";
}

async function readReports(request: Request): Promise<z.output<typeof reports> | number> {
  const body = await readBoundedText(request, { bytes: MAX_BYTES, milliseconds: DEADLINE_MS });
  if (body.status !== "read") return body.status === "too long" ? 413 : 400;
  try {
    const sent: unknown = JSON.parse(body.text);
    return reports.safeParse(Array.isArray(sent) ? sent.slice(0, MAX_REPORTS) : sent).data ?? 400;
  } catch {
    return 400;
  }
}

/** Drops the path; returns keywords such as `inline` as they are. */
function originOf(blocked: string): string {
  if (["inline", "eval", "wasm-eval", "self", "data", "blob"].includes(blocked)) return blocked;
  if (!URL.canParse(blocked)) return "other";
  const { origin, protocol } = new URL(blocked);
  return (origin === "null" ? protocol : origin).slice(0, 100);
}

const DIRECTIVES = new Set([
  "base-uri",
  "child-src",
  "connect-src",
  "default-src",
  "font-src",
  "form-action",
  "frame-ancestors",
  "frame-src",
  "img-src",
  "manifest-src",
  "media-src",
  "object-src",
  "script-src",
  "script-src-attr",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
  "worker-src",
]);
