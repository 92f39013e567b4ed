import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { type Browser, chromium } from "@playwright/test";
import { findChromium } from "../../functions/tools/chromium";
import type { Row } from "./report";
import { root } from "./root";
import { compressed, startEdgeServer } from "./servers/edge-server";
import { startSiteWorkerd } from "./servers/site-worker";

const PAGES = ["/", "/pricing", "/privacy", "/terms", "/subscription"];
/** What a new connection may send before it has to wait for the browser: ten packets (RFC 6928). */
const FIRST_ROUND_TRIP = 14_600;
const SCRIPTS_AT_MOST = 93_600;

/** What each page weighs: its HTML, and all that a browser asks for when it loads the page for the first time. */
export async function measureWeights(): Promise<Row[]> {
  const site = await startSiteWorkerd();
  const edge = await startEdgeServer(site.url);
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const rows: Row[] = [];
    for (const path of PAGES)
      rows.push(weightOf(path, await ask(site.url + path), await load(browser, edge.url + path)));
    const scripts = await scriptBytes((await ask(`${site.url}/subscription`)).html);
    return [
      ...rows,
      {
        what: "Scripts of /subscription, brotli",
        site: [[scripts, "bytes"]],
        judged: { value: scripts, unit: "bytes", atMost: SCRIPTS_AT_MOST },
      },
    ];
  } finally {
    await browser.close();
    edge.dispose();
    await site.dispose();
  }
}

interface Page {
  html: string;
  /** Bytes of the status line and the headers. */
  head: number;
}

async function ask(url: string): Promise<Page> {
  const response = await fetch(url);
  const head = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 19);
  return { html: await response.text(), head };
}

function weightOf(path: string, { html, head }: Page, { requests, bytes }: PageLoad): Row {
  const gzip = compressed(html, "gzip").length + head;
  return {
    what: `Weight of ${path}, headers included`,
    site: [
      [gzip, "bytes gzip"],
      [compressed(html, "br").length + head, "brotli"],
      [bytes, "with all"],
      [requests, "requests"],
    ],
    judged: { value: gzip, unit: "bytes", atMost: FIRST_ROUND_TRIP },
  };
}

/** Of everything that a page names to be loaded at once. */
async function scriptBytes(html: string): Promise<number> {
  const paths = [...html.matchAll(/rel="modulepreload" href="([^"]+)"|\b(?:from|import) "([^"]+\.js)"/g)].map(
    ([, preloaded, imported]) => preloaded ?? imported ?? "",
  );
  const files = await Promise.all([...new Set(paths)].map((path) => readFile(join(root, "public", path))));
  return files.reduce((sum, file) => sum + brotliCompressSync(file).length, 0);
}

/** What came over the network until the page was quiet, compressed and with headers. */
interface PageLoad {
  requests: number;
  bytes: number;
}

async function load(browser: Browser, url: string): Promise<PageLoad> {
  const context = await browser.newContext({ viewport: { width: 412, height: 823 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const loaded: PageLoad = { requests: 0, bytes: 0 };
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      loaded.requests += 1;
      loaded.bytes += encodedDataLength;
    });
    await session.send("Network.enable");
    await page.goto(url, { waitUntil: "networkidle" });
    return loaded;
  } finally {
    await context.close();
  }
}
