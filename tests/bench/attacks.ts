import { fields } from "../support/visitors/site-visitor";
import { type Asked, type Course, cpuPerRequest, measuredOf } from "./load";
import type { Row } from "./report";
import { startSiteWorkerd, startUpstreamWorkerd } from "./servers";

/* What a stranger can make the site spend with one request, in CPU time. Each is sent again and again by itself. */

type Attack = Asked & { what: string; atMost?: number };

/** The limit for any request without credentials. */
const MOST_MICROSECONDS = 3000;
/** The limit for what is decided by URL or headers alone. */
const CHEAP_MICROSECONDS = 150;

/** Senders whom the limiter of the benchmark refuses: the one gets the form back, the other is past that too. */
const OVER_LIMIT = { "CF-Connecting-IP": "192.0.2.1" };
const FAR_OVER_LIMIT = { "CF-Connecting-IP": "192.0.2.2" };
const LIMITER = `const refused = new Set(["192.0.2.1", "192.0.2.2", "192.0.2.2 refused"]);
export default () => ({ limit: async ({ key }) => ({ success: !refused.has(key) }) });`;

const PLAN = `/subscription/${fields.package_id}`;
const KIB = 1024;
const filled = (change: Record<string, string> = {}) => new URLSearchParams({ ...fields, ...change }).toString();
const repeated = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const numbered = (name: string, count: number, separator: string) =>
  Array.from({ length: count }, (_, index) => `${name}${index}=1`).join(separator);
const reports = (body: string) => ({ body, headers: { "Content-Type": "application/reports+json" } });

const attacks: Attack[] = [
  { what: "Home page", path: "/", status: 200, atMost: CHEAP_MICROSECONDS },
  { what: "Accepted sign-up", path: PLAN, body: filled(), status: 303 },
  { what: "Form page", path: PLAN, status: 200 },

  ...["/PRICING", "/PRICING.md", "/pricing/", "/pricing.md///", "/TERMS", "/%70rivacy", "/HEALTH", "/Robots.txt"].map(
    (path) => ({ what: `\`${path}\``, path, status: 308, atMost: CHEAP_MICROSECONDS }),
  ),
  { what: "`/Subscription/{id}/`", path: `${PLAN.replace("s", "S")}/`, status: 308, atMost: CHEAP_MICROSECONDS },
  { what: "Unknown path", path: "/no-such-page", status: 404 },
  { what: "Path of 16 KB", path: `/${repeated("a", 16 * KIB)}`, status: 404 },
  { what: "Path of 2 KB with 1,000 segments", path: repeated("/a", 2000), status: 404 },
  { what: "Path of 2 KB, percent-encoded", path: `/${repeated("%61", 2000)}`, status: 404 },
  { what: "Package id of 2 KB", path: `/subscription/${repeated("a", 2000)}`, status: 404 },
  { what: "Package id with a dot", path: "/subscription/x.css", status: 404 },
  { what: "Data of an unknown page", path: "/no-such-page.data", status: 404 },

  ...["*/*;q=0.1,", "text/markdown;q=0.1,", "text/markdown;level=1;a=b;c=d,"].map((range) => ({
    what: `\`Accept\` of 16 KB, \`${range}\``,
    path: "/pricing",
    headers: { Accept: `text/markdown,${repeated(range, 16_000)}` },
    status: 200,
    atMost: CHEAP_MICROSECONDS,
  })),
  {
    what: "`If-None-Match` of 16 KB",
    path: "/pricing",
    headers: { "If-None-Match": repeated('W/"a",', 16_000) },
    status: 200,
    atMost: CHEAP_MICROSECONDS,
  },
  {
    what: "`Accept-Language` of 16 KB",
    path: "/pricing",
    headers: { "Accept-Language": repeated("de-DE;q=0.9,", 16_000) },
    status: 200,
    atMost: CHEAP_MICROSECONDS,
  },
  {
    what: "`Cookie` of 16 KB on a public page",
    path: "/pricing",
    headers: { Cookie: numbered("a", 2000, "; ") },
    status: 200,
    atMost: CHEAP_MICROSECONDS,
  },
  { what: "`Cookie` of 16 KB on the form", path: PLAN, headers: { Cookie: numbered("a", 2000, "; ") }, status: 200 },
  { what: "Session cookie of 8 KB", path: PLAN, headers: { Cookie: `signup=${repeated("a", 8000)}` }, status: 200 },
  {
    what: "Query of 4,000 parameters on a public page",
    path: `/pricing?_data${repeated("&a", 8000)}`,
    status: 400,
  },
  {
    what: "Query of 8 KB in one parameter on a public page",
    path: `/pricing?x_data=${repeated("a", 8000)}`,
    status: 200,
    atMost: CHEAP_MICROSECONDS,
  },
  { what: "Query of 4,000 parameters on the form", path: `${PLAN}?${repeated("&a", 8000)}`, status: 400 },
  { what: "100 repeated parameters on the form", path: `/subscription?${repeated("id=1&", 500)}`, status: 400 },
  { what: "Package id of 8 KB in the query", path: `/subscription?id=${repeated("%26", 8000)}`, status: 200 },
  { what: "Resume link of 8 KB that nobody made", path: `/subscription?resume=${repeated("a", 8000)}`, status: 200 },

  { what: "Wrong field", path: PLAN, body: filled({ email: "nobody" }), status: 422 },
  { what: "Empty form", path: PLAN, body: "email=", status: 422 },
  { what: "Empty form, sent by script", path: `${PLAN}.data`, body: "email=", status: 422 },
  { what: "Form of 16 KB in one field", path: PLAN, body: `full_name=${repeated('"', 16_000)}`, status: 422 },
  {
    what: "Form of 16 KB of combining marks",
    path: PLAN,
    body: `full_name=${repeated("\u0315\u0300\u0334", 8000)}`,
    status: 422,
  },
  {
    what: "Form of 16 KB of one phone number with spaces",
    path: PLAN,
    body: `phone=1${repeated("+", 16_000)}x`,
    status: 422,
  },
  { what: "Form of 16 KB of one phone number", path: PLAN, body: `phone=${repeated("1x", 16_000)}`, status: 422 },
  { what: "Form of 16 KB of one email address", path: PLAN, body: `email=${repeated("a.", 16_000)}`, status: 422 },
  { what: "Form of 32 unknown fields", path: PLAN, body: numbered("a", 31, "&"), status: 422 },
  { what: "Form of 2,000 fields", path: PLAN, body: numbered("a", 2000, "&"), status: 400 },
  { what: "Form over the limit", path: PLAN, headers: OVER_LIMIT, body: filled(), status: 429 },
  { what: "Form over the limit, again and again", path: PLAN, headers: FAR_OVER_LIMIT, body: filled(), status: 429 },
  {
    what: "Form over the limit, sent by script",
    path: `${PLAN}.data`,
    headers: FAR_OVER_LIMIT,
    body: filled(),
    status: 429,
  },
  {
    what: "Form of another site",
    path: PLAN,
    headers: { "Sec-Fetch-Site": "cross-site" },
    body: filled(),
    status: 403,
  },
  { what: "Form that is none", path: PLAN, headers: { "Content-Type": "text/plain" }, body: "{}", status: 415 },
  { what: "Form to a page without one", path: "/pricing", body: filled(), status: 405 },

  { what: "Report of 8 KB of brackets", path: "/csp-reports", ...reports(repeated("[", 8000)), status: 400 },
  {
    what: "Report of 8 KB of empty reports",
    path: "/csp-reports",
    ...reports(`[${repeated("{},", 8000)}{}]`),
    status: 400,
  },
  {
    what: "Report over the limit",
    path: "/csp-reports",
    body: "[]",
    headers: { "Content-Type": "application/reports+json", ...OVER_LIMIT },
    status: 429,
    atMost: CHEAP_MICROSECONDS,
  },
];

/** Loads a site with each attack in turn; the dearest comes first. */
export async function measureAttacks({ rounds, seconds, warmUp }: Course): Promise<Row[]> {
  const upstream = await startUpstreamWorkerd();
  const site = await startSiteWorkerd({ subscriptionApiUrl: upstream.url, limiter: LIMITER });
  try {
    // Compiled and optimized, so that what comes first is measured as what comes last.
    for (const attack of attacks.slice(0, 3)) await cpuPerRequest(site, attack, warmUp);
    const measured = [];
    for (const { what, atMost = MOST_MICROSECONDS, ...asked } of attacks) {
      await cpuPerRequest(site, asked, seconds / 2);
      const all: number[] = [];
      for (let round = 0; round < rounds; round += 1) all.push(await cpuPerRequest(site, asked, seconds));
      const value = measuredOf(all);
      measured.push({
        median: value.median,
        row: { what: `${what}: ${asked.status}`, judged: { value, unit: "µs", atMost } as const },
      });
    }
    return measured.toSorted((one, other) => other.median - one.median).map(({ row }) => row);
  } finally {
    await Promise.all([site.dispose(), upstream.dispose()]);
  }
}
