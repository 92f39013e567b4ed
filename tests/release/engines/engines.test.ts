// biome-ignore-all lint/performance/useDomNodeTextContent: the tests read what a visitor sees.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { root } from "../../../tools/wrangler/wrangler";
import { fields } from "../../support/person";
import { startStack } from "../../support/visitors/visited-site";
import { type Engine, launch, type Tab } from "./engines";

/* The pages and the sign-up in real browsers since 2020, on a phone's screen. */

const { site, dispose } = await startStack();
afterAll(dispose);

const SCREENSHOTS = join(process.env.TEST_RESULTS ?? join(root, "build/test-results"), "engines");
await mkdir(SCREENSHOTS, { recursive: true });

const FORM = `/subscription/${fields.package_id}`;
const { package_id: _, ...typed } = fields;

/** The end of a sign-up in each browser, by its words. */
const LAST_WORDS = {
  success: `Your ${TRIAL_DAYS} days trial period has been started.`,
  "card on another device": "Nothing is lost: continue on another device with the link below.",
};

interface Row {
  engine: Engine;
  menu: "list" | "popover";
  scripts: "unsupported" | "running";
  signUp: keyof typeof LAST_WORDS;
}

/** Which browser gets what; docs/architecture.md has it in words. */
const ROWS: Row[] = [
  { engine: 80, menu: "list", scripts: "unsupported", signUp: "card on another device" },
  { engine: 88, menu: "list", scripts: "running", signUp: "success" },
  { engine: 92, menu: "list", scripts: "running", signUp: "success" },
  { engine: 110, menu: "list", scripts: "running", signUp: "success" },
  { engine: "newest", menu: "popover", scripts: "running", signUp: "success" },
];

/** What an unstyled, broken or empty page would have, measured in the browser. */
function faultsOfPage(): string[] {
  const faults: string[] = [];
  const [heading, menu, logo] = ["h1", "#site-menu", "header svg"].map((selector) => document.querySelector(selector));
  if (!heading || !menu || !logo) return [`the page is: ${document.body ? document.body.innerText : ""}`];
  const { width, height } = logo.getBoundingClientRect();
  if (width !== 32 || height !== 32) faults.push(`the logo has ${width} × ${height} px`);
  const { fontSize, fontFamily } = getComputedStyle(heading);
  if (!(parseFloat(fontSize) > 20) || !/Bricolage/.test(fontFamily))
    faults.push(`the heading is in ${fontSize} ${fontFamily}`);
  const [title, list] = [heading.getBoundingClientRect(), menu.getBoundingClientRect()];
  if (title.height < 20) faults.push("the heading is not visible");
  if (list.height > 0 && list.bottom > title.top && list.top < title.bottom) faults.push("the menu covers the heading");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  for (const element of Array.from(document.querySelectorAll("body *"))) {
    // Text for screen readers alone is cut off at 1 px.
    if (!element.closest(".sr-only") && element.getBoundingClientRect().width > 390)
      faults.push(`<${element.tagName} class="${element.getAttribute("class")}"> is too wide`);
  }
  if (/Application Error|\n\s+at /.test(document.body.innerText)) faults.push("the page shows an error's stack");
  return faults;
}

/** Waits until the page says something. */
async function waitFor(tab: Tab, words: string): Promise<void> {
  const text = () =>
    tab.evaluate(() => document.querySelector("main")?.innerText ?? "an empty page").catch(() => "a page that loads");
  await expect.poll(text, { timeout: 30_000 }).toContain(words);
}

/** Presses a button once it can be pressed. */
async function press(tab: Tab, words: string): Promise<void> {
  const isPressed = () =>
    tab.evaluate((expected) => {
      const button = Array.from(document.querySelectorAll("button")).find(
        ({ innerText }) => innerText.trim() === expected,
      );
      if (!button || button.disabled) return false;
      button.click();
      return true;
    }, words);
  await expect.poll(isPressed, { message: `the button "${words}"`, timeout: 30_000 }).toBe(true);
}

/** Fills in Stripe's fields, which the simulator has in a frame, and pays. */
async function pay(tab: Tab): Promise<void> {
  let card: Pick<Tab, "type"> | undefined;
  const findCard = async () => {
    for (const frame of tab.frames())
      if (await frame.evaluate(() => document.querySelector("#cvc") !== null)) card = frame;
    return card;
  };
  await expect.poll(findCard, { message: "the card's frame", timeout: 30_000 }).toBeDefined();
  await card?.type("#number", "4242424242424242");
  await card?.type("#expiry", "1234");
  await card?.type("#cvc", "123");
  await press(tab, "Pay");
}

describe.each(ROWS)("Chrome $engine", ({ engine, menu, scripts, signUp }) => {
  let browser: Awaited<ReturnType<typeof launch>>;
  let tab: Tab;
  beforeAll(async () => {
    browser = await launch(engine);
    tab = await browser.newPage();
    await tab.setViewport({ width: 390, height: 844 });
  }, 600_000);
  afterAll(() => browser?.close());
  const open = async (path: string) => {
    await tab.goto(`${site.url}${path}`, { waitUntil: "load" });
    const isSettled = () => document.documentElement.getAttribute("data-scripts") !== "loading";
    await expect.poll(() => tab.evaluate(isSettled), { message: "the scripts run", timeout: 30_000 }).toBe(true);
  };
  /** Keeps a picture of the page, to be looked at. */
  const picture = async (name: string) => {
    const height = await tab.evaluate(() => document.documentElement.scrollHeight);
    await tab.setViewport({ width: 390, height });
    await tab.screenshot({ path: join(SCREENSHOTS, `${engine}-${name}.png`), fullPage: false });
    await tab.setViewport({ width: 390, height: 844 });
  };

  test(`the pages are styled, the menu is a ${menu}, and the form's scripts are ${scripts}`, async () => {
    const inPage = () => ((document.getElementById("site-menu")?.offsetHeight ?? 0) > 0 ? "list" : "popover");
    for (const [name, path] of Object.entries({ "home page": "/", "pricing page": "/pricing", form: FORM })) {
      await open(path);
      await picture(name);
      expect(await tab.evaluate(faultsOfPage), name).toEqual([]);
      expect(await tab.evaluate(inPage), name).toBe(menu);
    }
    expect(await tab.evaluate(() => document.documentElement.getAttribute("data-scripts"))).toBe(scripts);
  });

  test("an empty form gets its errors", async () => {
    await open(FORM);
    await press(tab, "Payment");
    await waitFor(tab, "City must be at least 2 characters");
    await picture("errors");
    expect(await tab.evaluate(faultsOfPage)).toEqual([]);
  });

  test(`the sign-up leads to: ${signUp}`, async () => {
    await open(FORM);
    const email = `visitor-${crypto.randomUUID()}@example.com`;
    for (const [name, value] of Object.entries({ ...typed, email })) await tab.type(`[name=${name}]`, value);
    await press(tab, "Payment");
    await waitFor(tab, "Please enter your card info");
    if (signUp === "success") await pay(tab);
    await waitFor(tab, LAST_WORDS[signUp]);
    await picture("end");
    expect(await tab.evaluate(faultsOfPage)).toEqual([]);
  });
});
