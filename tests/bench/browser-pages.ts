import { type Browser, type CDPSession, chromium, type Page } from "@playwright/test";
import { findChromium } from "../../functions/tools/chromium";
import type { EdgeServer } from "./edge-server";
import { type Measured, measuredOf } from "./statistics";

/** A slow phone on a slow network: 150 ms round trip, 1.6 Mbps down, a CPU four times slower. */
const SLOW = { latencyMs: 150, bytesPerSecond: (1.6 * 1024 * 1024) / 8, cpuFactor: 4 };

/** What a page costs the browser that loads it for the first time. Times in milliseconds, under the throttle. */
export interface PageLoad {
  /** That the first paint waits for, the page's own included. */
  requestsForPaint: number;
  /** That begin before it, whether or not it waits for them. */
  requestsBeforePaint: number;
  requests: number;
  firstPaint: Measured;
  largestPaint: Measured;
  blockingTime: Measured;
}

/** Milliseconds of script that one character, and leaving a field, take. */
export interface Interaction {
  typing: Measured;
  leaving: Measured;
}

/** How long a new profile's processes may take to start, and the last one's to end: neither is the page's. */
const SETTLE_MS = 500;

/** The browser that measures; end it with `close`. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
}

/** Loads several pages in turn, round after round, each in a browser profile of its own. */
export async function measurePages(
  browser: Browser,
  pages: { name: string; server: EdgeServer; path: string }[],
  rounds: number,
): Promise<Map<string, PageLoad>> {
  const loads = new Map<string, OneLoad[]>(pages.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, server, path } of pages) loads.get(name)?.push(await loadOnce(browser, server.url + path));
  }
  return new Map([...loads].map(([name, all]) => [name, summed(all)]));
}

type OneLoad = Record<keyof PageLoad, number>;

function summed(loads: OneLoad[]): PageLoad {
  const of = (figure: keyof OneLoad) => measuredOf(loads.map((load) => load[figure]));
  return {
    requestsForPaint: of("requestsForPaint").median,
    requestsBeforePaint: of("requestsBeforePaint").median,
    requests: of("requests").median,
    firstPaint: of("firstPaint"),
    largestPaint: of("largestPaint"),
    blockingTime: of("blockingTime"),
  };
}

async function loadOnce(browser: Browser, address: string): Promise<OneLoad> {
  const { page, close } = await slowPage(browser);
  try {
    let requests = 0;
    page.on("request", () => {
      requests += 1;
    });
    await page.goto(address, { waitUntil: "networkidle" });
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    const firstPaint = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    );
    const resources = await page.evaluate(() =>
      performance.getEntriesByType("resource").map((entry) => ({
        startTime: entry.startTime,
        blocks: "renderBlockingStatus" in entry && entry.renderBlockingStatus === "blocking",
      })),
    );
    const largest = await entriesOf(page, "largest-contentful-paint");
    const longTasks = await entriesOf(page, "longtask");
    return {
      requests,
      requestsBeforePaint: 1 + resources.filter(({ startTime }) => startTime < firstPaint).length,
      requestsForPaint: 1 + resources.filter(({ blocks }) => blocks).length,
      firstPaint,
      largestPaint: largest.at(-1)?.startTime ?? Number.NaN,
      // As Lighthouse counts: what lies beyond 50 ms of each task after the first paint.
      blockingTime: longTasks
        .filter(({ startTime, duration }) => startTime + duration > firstPaint)
        .reduce((sum, { duration }) => sum + duration - 50, 0),
    };
  } finally {
    await close();
  }
}

/** Entries of a type that only observers get, those before included. */
function entriesOf(page: Page, type: string): Promise<{ startTime: number; duration: number }[]> {
  return page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        new PerformanceObserver((list, observer) => {
          observer.disconnect();
          resolve(list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })));
        }).observe({ type: wanted, buffered: true });
        // There may be none.
        setTimeout(() => resolve([]), 300);
      }),
    type,
  );
}

/**
 * Types into the sign-up's fields and leaves them, and reads from the browser how long its scripts ran for each.
 * @param throttled whether with the slow CPU
 */
export async function measureInteraction(
  browser: Browser,
  server: EdgeServer,
  throttled: boolean,
): Promise<Interaction> {
  const { page, session, close } = await slowPage(browser);
  try {
    await session.send("Performance.enable");
    await page.goto(`${server.url}/subscription`, { waitUntil: "networkidle" });
    // The first key also fetches the next step's code.
    await page.getByLabel("Contact Name").press("A");
    await page.waitForLoadState("networkidle");
    await session.send("Emulation.setCPUThrottlingRate", { rate: throttled ? SLOW.cpuFactor : 1 });
    const typing: number[] = [];
    const leaving: number[] = [];
    for (const [label, text] of [
      ["Contact Name", "da Love"],
      ["Email Address", "ada@exam"],
      ["Phone Number", "21255501"],
    ] as const) {
      await page.getByLabel(label).focus();
      for (const character of text) typing.push(await scriptTime(page, session, () => page.keyboard.press(character)));
      // By the key, as visitors do: to blur by a locator would run, and count, the driver's own script in the page.
      leaving.push(await scriptTime(page, session, () => page.keyboard.press("Tab")));
    }
    return { typing: measuredOf(typing), leaving: measuredOf(leaving) };
  } finally {
    await close();
  }
}

/** How long the page's scripts ran because of something, in milliseconds: handlers, rendering, and what they put off. */
async function scriptTime(page: Page, session: CDPSession, act: () => Promise<void>): Promise<number> {
  const before = await scriptSeconds(session);
  await act();
  await page.waitForTimeout(60);
  return ((await scriptSeconds(session)) - before) * 1000;
}

async function scriptSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN;
}

async function slowPage(browser: Browser) {
  const context = await browser.newContext({ viewport: { width: 412, height: 823 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: SLOW.latencyMs,
    downloadThroughput: SLOW.bytesPerSecond,
    uploadThroughput: SLOW.bytesPerSecond,
  });
  await page.waitForTimeout(SETTLE_MS);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW.cpuFactor });
  return { page, session, close: () => context.close() };
}
