import { readFileSync } from "node:fs";
import { join } from "node:path";
import autocannon from "autocannon";
import { parseReleases } from "../../functions/tools/releases/kept-releases";
import { fields } from "../support/visitors/site-visitor";
import { CONNECTIONS, type Course } from "./load";
import { cpuMicroseconds } from "./process-figures";
import type { Row } from "./report";
import { root } from "./root";
import { startUpstreamWorkerd } from "./servers/controls";
import { startSiteWorkerd } from "./servers/site-worker";
import type { RunningWorkerd } from "./servers/workerd";
import { measuredOf } from "./statistics";

/*
 * What a stranger can make the site spend with one request, in CPU time. Each is sent again and again by itself.
 */

/** A request that costs nothing to send. */
interface Attack {
  what: string;
  method?: "GET" | "HEAD" | "POST";
  path: string;
  headers?: Record<string, string>;
  /** Sent as a form, unless the headers say otherwise. */
  body?: string;
  status: number;
  /** In microseconds. */
  atMost?: number;
}

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
const [release] = parseReleases(readFileSync(join(root, "public/releases.json"), "utf8"));
/** Of the release that is built, as its pages name it. */
const MANIFEST = `/__manifest?version=${release?.version}`;
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

  { what: "Routes of a path of 3,000 segments", path: `${MANIFEST}&p=${repeated("/a", 6000)}`, status: 400 },
  { what: "Routes of 30 paths", path: `${MANIFEST}${repeated("&p=a", 29 * 4)}`, status: 200 },

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
  { what: "Form of 16 KB of one e-mail address", path: PLAN, body: `email=${repeated("a.", 16_000)}`, status: 422 },
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

/** Loads a site with each attack in turn. */
export async function measureAttacks(course: Course): Promise<Row[]> {
  const upstream = await startUpstreamWorkerd();
  const site = await startSiteWorkerd({ subscriptionApiUrl: upstream.url, limiter: LIMITER });
  try {
    // Compiled and optimised, so that what comes first is measured as what comes last.
    for (const attack of attacks.slice(0, 3)) await cpuOf(site, attack, course.warmUp);
    const rows: Row[] = [];
    for (const attack of attacks) {
      await cpuOf(site, attack, course.seconds / 2);
      const rounds: number[] = [];
      for (let round = 0; round < course.rounds; round += 1) rounds.push(await cpuOf(site, attack, course.seconds));
      rows.push(rowOf(attack, rounds));
    }
    return rows;
  } finally {
    await Promise.all([site.dispose(), upstream.dispose()]);
  }
}

function rowOf({ what, status, atMost = MOST_MICROSECONDS }: Attack, rounds: number[]): Row {
  const cpu = measuredOf(rounds);
  return { what: `${what}: ${status}`, site: [[cpu, "µs CPU"]], judged: { value: cpu, unit: "µs", atMost } };
}

async function cpuOf(site: RunningWorkerd, attack: Attack, duration: number): Promise<number> {
  const { method = attack.body === undefined ? "GET" : "POST", path, body, headers, status, what } = attack;
  const before = cpuMicroseconds(site.pid);
  const result = await autocannon({
    url: site.url + path,
    connections: CONNECTIONS,
    duration,
    method,
    ...(body !== undefined && { body }),
    headers: {
      ...(body !== undefined && {
        "Content-Type": "application/x-www-form-urlencoded",
        Origin: site.url,
        "Sec-Fetch-Site": "same-origin",
      }),
      ...headers,
    },
  });
  const total = result.requests.total;
  const seen = Object.keys(result.statusCodeStats ?? {});
  if (total === 0 || result.errors > 0 || seen.join() !== String(status)) {
    throw new Error(
      `${what}: answered ${seen.join()} in place of ${status}, ${result.errors} failed; see ${site.logFile}`,
    );
  }
  return (cpuMicroseconds(site.pid) - before) / total;
}
