import * as z from "zod/mini";
import { readText } from "../guard/bounded-body.server";
import { RETRY_AFTER_SECONDS } from "../guard/rate-limit.server";
import type { AddressBook } from "../guard/route-matcher.server";
import type { Log } from "../log.server";

/** Where browsers report what the policy stopped; the policy names it. */
export const CSP_REPORTS_PATH = "/csp-reports";

const MAX_BYTES = 8 * 1024;
const MAX_REPORTS = 5;
const DEADLINE_MS = 5_000;

/** What the two formats have in common: `report-uri` (CSP 2) and `report-to` (Reporting API). */
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
        // Old browsers only have the second one, with the directive's sources after its name.
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

/**
 * Takes what browsers report about the policy. Anyone can post here and write anything, so of a report only words from
 * fixed lists, a route's pattern and an origin reach the log.
 * @returns 204, or why the report was not read; never a page, since no one sees it
 */
export async function takeCspReports(
  request: Request,
  {
    addressOf,
    isOverLimit,
    log,
  }: { addressOf: AddressBook; isOverLimit(request: Request): Promise<boolean>; log: Log },
): Promise<Response> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!/^application\/(csp-report|reports\+json|json)\s*(;|$)/i.test(type)) return new Response(null, { status: 415 });
  if (Number(request.headers.get("Content-Length") ?? 0) > MAX_BYTES) return new Response(null, { status: 413 });
  if (await isOverLimit(request)) {
    return new Response(null, { status: 429, headers: { "Retry-After": RETRY_AFTER_SECONDS } });
  }
  const read = await readReports(request);
  if (!Array.isArray(read)) return read;
  const own = new URL(request.url).origin;
  const routeOf = (page: string) => {
    if (!URL.canParse(page) || new URL(page).origin !== own) return "foreign";
    return addressOf(new URL(page).pathname)?.route ?? "unknown";
  };
  for (const { page, directive, blocked } of read.slice(0, MAX_REPORTS)) {
    log.warn("csp_violation", {
      directive: DIRECTIVES.has(directive) ? directive : "other",
      blocked: originOf(blocked),
      route: routeOf(page),
    });
  }
  return new Response(null, { status: 204 });
}

async function readReports(request: Request): Promise<z.output<typeof reports> | Response> {
  const body = await readText(request, { bytes: MAX_BYTES, milliseconds: DEADLINE_MS });
  if (body.status !== "read") return new Response(null, { status: body.status === "too long" ? 413 : 400 });
  let json: unknown;
  try {
    json = JSON.parse(body.text);
  } catch {
    return new Response(null, { status: 400 });
  }
  const parsed = reports.safeParse(json);
  return parsed.success ? parsed.data : new Response(null, { status: 400 });
}

/** What was blocked, without its path: an origin, a scheme, or one of the words that stand for what has no address. */
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
