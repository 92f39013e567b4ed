import { type Browser, type CDPSession, chromium } from "@playwright/test";
import * as z from "zod";
import { findOrInstallChromium } from "../../tools/chromium";
import { fields } from "../support/person";
import { startStack } from "../support/visitors/visited-site";

/* The form on a slow phone: Chromium with a phone's viewport, a sixth of this machine's speed, and a slow network. */

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const CPU_SLOWDOWN = 6;
const BYTES_PER_SECOND = 1_600_000 / 8;
const NETWORK = { latency: 150, downloadThroughput: BYTES_PER_SECOND, uploadThroughput: BYTES_PER_SECOND };
/** The pause of a fast typist. */
const BETWEEN_KEYS_MS = 100;
/** After this pause the page is idle and Chromium has reported the last interaction. */
const SETTLED_MS = 1_500;
const MOST_MS = 30_000;
/** Chromium reports no shorter ones. */
const [LEAST_TASK_MS, LEAST_EVENT_MS] = [50, 16];

/** All in milliseconds. */
export interface SlowVisit {
  /** From the request for the page until "Pay" can be pressed, without the tasks of Stripe's frames. */
  longestTask: number;
  /** From a key until the next frame: the slowest of the keys that are typed while the page loads and of the first one after that. */
  firstKey: number;
  /** From the tap on "Payment" until the next frame. */
  payment: number;
}

/** Visits the built site, each time with empty caches. The simulator stands in for Stripe. */
export async function visitOnSlowPhone(visits: number): Promise<SlowVisit[]> {
  const stack = await startStack();
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  const browser = await chromium.launch({ executablePath: findOrInstallChromium(), args });
  try {
    const measured: SlowVisit[] = [];
    // The first visit warms up the Workers and the browser.
    for (let visit = 0; visit <= visits; visit += 1) measured.push(await visitOnce(browser, stack.site.url));
    return measured.slice(1);
  } finally {
    await browser.close();
    await stack.dispose();
  }
}

/** Asks the page through the debugger only, because Playwright's own scripts would be the longest tasks. */
async function visitOnce(browser: Browser, siteUrl: string): Promise<SlowVisit> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await page.addInitScript(record);
  const phone = await context.newCDPSession(page);
  await phone.send("Network.emulateNetworkConditions", { offline: false, ...NETWORK });
  await phone.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  const tap = async (element: string) => {
    const { x, y } = place.parse(await evaluate(phone, placeOf(element)));
    await page.waitForTimeout(BETWEEN_KEYS_MS);
    await page.touchscreen.tap(x, y);
  };
  await page.goto(`${siteUrl}/subscription/${fields.package_id}`, { waitUntil: "commit" });
  await until(phone, `performance.getEntriesByName("first-contentful-paint").length && ${inputOf("full_name")}`);
  // Asking for the field's place at once would do the first layout in the page's stead.
  await page.waitForTimeout(BETWEEN_KEYS_MS);
  await tap(inputOf("full_name"));
  await page.keyboard.press("x");
  await page.keyboard.press("Tab");
  for (let isAnswered: unknown = false; !isAnswered; isAnswered = await evaluate(phone, "recorded.answered")) {
    await page.keyboard.press("x");
    await page.waitForTimeout(BETWEEN_KEYS_MS);
  }
  await page.waitForTimeout(SETTLED_MS);
  await tap(inputOf("email"));
  await page.waitForTimeout(SETTLED_MS);
  await page.keyboard.press("A");
  await page.waitForTimeout(SETTLED_MS);

  const { package_id: _, ...typed } = { ...fields, email: `visitor-${crypto.randomUUID()}@example.com` };
  for (const [name, value] of Object.entries(typed)) {
    await evaluate(phone, `${inputOf(name)}.focus(), ${inputOf(name)}.select()`);
    await page.keyboard.insertText(value);
  }
  await page.waitForTimeout(SETTLED_MS);
  const filledIn = Number(await evaluate(phone, "performance.now()"));
  await tap("document.querySelector('#signup [type=submit]')");
  await until(phone, "recorded.ready");
  await page.waitForTimeout(SETTLED_MS);
  const { tasks, interactions } = recorded.parse(await evaluate(phone, "recorded"));
  await context.close();

  const slowest = (names: RegExp, from = 0) => {
    const found = interactions.filter(({ name, start }) => names.test(name) && start >= from);
    return Math.max(LEAST_EVENT_MS, ...found.map(({ duration }) => duration));
  };
  return {
    longestTask: Math.max(LEAST_TASK_MS, ...tasks),
    firstKey: slowest(/^key/),
    payment: slowest(/^(pointer|click)/, filledIn),
  };
}

const inputOf = (name: string) => `document.getElementById("signup-${name}")`;

/** An element's middle, after scrolling it into view. */
const placeOf = (element: string) => `((element) => {
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
})(${element})`;
const place = z.object({ x: z.number(), y: z.number() });

async function evaluate(phone: CDPSession, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await phone.send("Runtime.evaluate", { expression, returnByValue: true });
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
  return result.value;
}

/** The first truthy value of an expression. */
async function until(phone: CDPSession, expression: string): Promise<unknown> {
  const end = performance.now() + MOST_MS;
  for (;;) {
    const value = await evaluate(phone, expression);
    if (value) return value;
    if (performance.now() > end) throw new Error(`Not within ${MOST_MS} ms: ${expression}`);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_KEYS_MS / 4));
  }
}

const interaction = z.object({ name: z.string(), start: z.number(), duration: z.number() });
const recorded = z.object({
  tasks: z.array(z.number()),
  interactions: z.array(interaction),
});

/** Runs in the page before its scripts: https://www.w3.org/TR/longtasks-1/ and https://www.w3.org/TR/event-timing/ */
function record(): void {
  if (window !== window.top) return;
  const tasks: number[] = [];
  const interactions: z.output<typeof interaction>[] = [];
  const recorded = { tasks, interactions, answered: false, ready: false };
  Object.assign(window, { recorded });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (!name.endsWith("descendant")) tasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  const events = { type: "event", durationThreshold: 16, buffered: true };
  new PerformanceObserver((list) => {
    for (const { name, startTime, duration } of list.getEntries())
      interactions.push({ name, start: startTime, duration });
  }).observe(events);
  const pay = "form[aria-labelledby=card-entry] [type=submit]:enabled";
  new MutationObserver(() => {
    if (document.getElementById("signup-full_name-error")) recorded.answered = true;
    if (document.querySelector(pay)) recorded.ready = true;
  }).observe(document, { subtree: true, childList: true, attributeFilter: ["disabled"] });
}
