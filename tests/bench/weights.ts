import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Row } from "./report";
import { startSiteWorkerd } from "./servers";
import { root } from "./workerd";

/** As in tests/workers/pages/budgets.test.ts. */
const [MOST_PAGE_BYTES, MOST_SCRIPT_BYTES] = [14_600, 95_000];

const PAGES = ["/", "/pricing", "/privacy", "/terms", "/security", "/subscription"];

/** What each page weighs, its headers included, and the scripts of the form. */
export async function measureWeights(): Promise<Row[]> {
  const site = await startSiteWorkerd();
  try {
    const rows: Row[] = [];
    for (const path of PAGES) {
      const response = await fetch(site.url + path);
      const head = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 19);
      const bytes = gzipSync(await response.text(), { level: 6 }).length + head;
      rows.push({ what: `Weight of ${path}, gzip`, judged: { value: bytes, unit: "bytes", atMost: MOST_PAGE_BYTES } });
    }
    const bytes = await scriptBytes(await (await fetch(`${site.url}/subscription`)).text());
    return [
      ...rows,
      { what: "Scripts of /subscription, brotli", judged: { value: bytes, unit: "bytes", atMost: MOST_SCRIPT_BYTES } },
    ];
  } finally {
    await site.dispose();
  }
}

/** Of everything that a page names to be loaded at once. */
async function scriptBytes(html: string): Promise<number> {
  const paths = [...html.matchAll(/rel="modulepreload" href="([^"]+)"|\b(?:from|import) "([^"]+\.js)"/g)].map(
    ([, preloaded, imported]) => preloaded ?? imported ?? "",
  );
  const files = await Promise.all([...new Set(paths)].map((path) => readFile(join(root, "public", path))));
  return files.reduce((sum, file) => sum + brotliCompressSync(file).length, 0);
}
