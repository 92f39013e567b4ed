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
const get = (what: string, path: string, status: number, headers = {}): Attack => ({ what, path, status, headers });
const cheap = (attack: Attack): Attack => ({ ...attack, atMost: CHEAP_MICROSECONDS });
const form = (what: string, body: string, status: number, headers = {}, path = PLAN): Attack => ({
  what,
  path,
  status,
  body,
  headers,
});
const report = (what: string, body: string, status: number, headers = {}) =>
  form(what, body, status, { "Content-Type": "application/reports+json", ...headers }, "/csp-reports");

const spellings = ["/PRICING", "/PRICING.md", "/pricing/", "/pricing.md///", "/%70rivacy", "/HEALTH", "/Robots.txt"];
const manyCookies = { Cookie: numbered("a", 2000, "; ") };

const attacks: Attack[] = [
  cheap(get("Home page", "/", 200)),
  form("Accepted sign-up", filled(), 303),
  get("Form page", PLAN, 200),

  ...spellings.map((path) => cheap(get(`\`${path}\``, path, 308))),
  cheap(get("`/Subscription/{id}/`", `${PLAN.replace("s", "S")}/`, 308)),
  get("Unknown path", "/no-such-page", 404),
  get("Path of 16 KB", `/${repeated("a", 16 * KIB)}`, 404),
  get("Path of 2 KB with 1,000 segments", repeated("/a", 2000), 404),
  get("Package id of 2 KB", `/subscription/${repeated("a", 2000)}`, 404),

  ...["*/*;q=0.1,", "text/markdown;level=1;a=b;c=d,"].map((range) =>
    cheap(
      get(`\`Accept\` of 16 KB, \`${range}\``, "/pricing", 200, { Accept: `text/markdown,${repeated(range, 16_000)}` }),
    ),
  ),
  cheap(get("`If-None-Match` of 16 KB", "/pricing", 200, { "If-None-Match": repeated('W/"a",', 16_000) })),
  cheap(get("`Cookie` of 16 KB on a public page", "/pricing", 200, manyCookies)),
  get("`Cookie` of 16 KB on the form", PLAN, 200, manyCookies),
  get("Session cookie of 8 KB", PLAN, 200, { Cookie: `signup=${repeated("a", 8000)}` }),
  get("Query of 4,000 parameters on a public page", `/pricing?_data${repeated("&a", 8000)}`, 400),
  cheap(get("Query of 8 KB in one parameter on a public page", `/pricing?x_data=${repeated("a", 8000)}`, 200)),
  get("Query of 4,000 parameters on the form", `${PLAN}?${repeated("&a", 8000)}`, 400),
  get("Package id of 8 KB in the query", `/subscription?id=${repeated("%26", 8000)}`, 200),
  get("Resume link of 8 KB that nobody made", `/subscription?resume=${repeated("a", 8000)}`, 200),

  form("Wrong field", filled({ email: "nobody" }), 422),
  form("Empty form", "email=", 422),
  form("Form of 16 KB in one field", `full_name=${repeated('"', 16_000)}`, 422),
  form("Form of 16 KB of combining marks", `full_name=${repeated("\u0315\u0300\u0334", 8000)}`, 422),
  form("Form of 16 KB of one phone number with spaces", `phone=1${repeated("+", 16_000)}x`, 422),
  form("Form of 16 KB of one email address", `email=${repeated("a.", 16_000)}`, 422),
  form("Form of 2,000 fields", numbered("a", 2000, "&"), 400),
  form("Form over the limit", filled(), 429, OVER_LIMIT),
  form("Form over the limit, again and again", filled(), 429, FAR_OVER_LIMIT),
  form("Form of another site", filled(), 403, { "Sec-Fetch-Site": "cross-site" }),
  form("Form that is none", "{}", 415, { "Content-Type": "text/plain" }),
  form("Form to a page without one", filled(), 405, {}, "/pricing"),

  report("Report of 8 KB of brackets", repeated("[", 8000), 400),
  cheap(report("Report over the limit", "[]", 429, OVER_LIMIT)),
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
