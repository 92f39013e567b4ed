import type { Locator } from "@playwright/test";
import { brokenWords, linesOf } from "../browser/support/layout";
import { hydrated, PLAN } from "../browser/support/sign-up";
import { expect, test } from "../browser/support/stack";

const pages = ["/", "/pricing", "/privacy", "/terms", "/nothing-here", PLAN];

for (const path of pages) {
  test(`no headline of ${path} leaves a word alone on its last line, and no footer link wraps, from 320 to 1920 px`, async ({
    page,
  }) => {
    await page.goto(path);
    await page.evaluate(() => document.fonts.ready);
    for (let width = 320; width <= 1920; width += 40) {
      await page.setViewportSize({ width, height: 900 });
      for (const lines of await linesOf(page, "main :is(h1, h2), main blockquote")) {
        if (lines.length > 1)
          expect(
            lines.filter((line) => !line.includes(" ")),
            `${width} px: ${lines}`,
          ).toEqual([]);
      }
      for (const lines of await linesOf(page, "footer a")) expect(lines, `${width} px`).toHaveLength(1);
    }
  });
}

test("plans are compared at every width: on narrow screens each value has its plan's name, and plan names never break", async ({
  page,
}) => {
  await page.goto("/pricing");
  const comparison = page.locator(".comparison");
  for (const [width, text] of [
    [320, "100%"],
    [1023, "100%"],
    [1024, "100%"],
    [1920, "100%"],
    [1024, "200%"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate((size) => document.documentElement.style.setProperty("font-size", size), text);
    await expect(page.getByRole("article")).toHaveCount(4);
    await expect(comparison.getByRole("table")).toBeVisible();
    expect(await comparison.evaluate((box) => box.scrollWidth - box.clientWidth), `${width} px`).toBe(0);
    const names = await comparison
      .locator("tbody tr:first-child td")
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content.replace(/\u200b|"/g, "")));
    const isNarrow = width < 1024;
    expect(names).toEqual(isNarrow ? ["MINI", "LITE", "STANDARD", "ENTERPRISE/AGENCY"] : Array(4).fill("none"));
    const headings = isNarrow ? "article h2" : "article h2, .comparison thead th";
    if (text === "100%") for (const lines of await linesOf(page, headings)) expect(lines).toHaveLength(1);
  }
});

for (const [path, ready] of [
  ["/pricing", "FAQ"],
  ["/terms", "14. Contact"],
] as const) {
  test(`${path} prints with the brand and every answer but without menu, contents and footer`, async ({ page }) => {
    await page.goto(path);
    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("banner").getByRole("link", { name: /, home$/ })).toBeVisible();
    for (const name of ["contentinfo", "navigation", "button"] as const)
      await expect(page.getByRole(name)).toHaveCount(0);
    await expect(page.getByRole("heading", { name: ready })).toBeVisible();
    const answers = page.locator("details p");
    await expect(answers).toHaveCount(path === "/pricing" ? 6 : 0);
    for (const answer of await answers.all()) {
      expect(await answer.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }))).toBe(true);
      expect((await answer.boundingBox())?.height).toBeGreaterThan(10);
    }
  });
}

test("the home page prints dark on white in either color scheme", async ({ page }) => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.goto("/");
  const pale = await page
    .locator("main :is(h1, h2, h3, p, a, li, strong, figcaption)")
    .evaluateAll((elements) =>
      elements
        .filter((element) => Math.max(...(getComputedStyle(element).color.match(/\d+/g) ?? []).map(Number)) > 230)
        .map((element) => element.textContent),
    );
  expect(pale).toEqual([]);
});

test("in forced colors every bar of a drawing has a border, and highlighted words are readable", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  await page.goto("/");
  for (const mark of await page.locator("mark").all()) {
    const shown = await mark.screenshot();
    await mark.evaluate((element) => element.style.setProperty("color", "transparent"));
    expect((await mark.screenshot()).equals(shown), "transparent text looks different").toBe(false);
  }
  const strokes = await page
    .locator("main svg[role=img] rect")
    .evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar).stroke));
  expect(strokes.length).toBeGreaterThan(30);
  expect(strokes.filter((stroke) => stroke === "none")).toEqual([]);
  const fillOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((shape) => getComputedStyle(shape).fill);
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  // What is not highlighted is hollow, so that the charts need no colors.
  expect(await fillOf(".suite-drawing rect.fill-line-strong")).toBe(ground);
  expect(await fillOf(".suite-drawing rect.fill-brand")).not.toBe(ground);
  expect(await fillOf("#dot-dim circle")).toBe(ground);
  expect(await fillOf("#dot-lit circle")).not.toBe(ground);
});

test("with text at 200 % on a phone headlines grow, no word of the form breaks, and the password field is as wide as the others", async ({
  page,
}) => {
  await page.setViewportSize({ width: 375, height: 740 });
  for (const path of pages) {
    await page.goto(path);
    const size = () =>
      page.getByRole("heading", { level: 1 }).evaluate((h1) => Number.parseFloat(getComputedStyle(h1).fontSize));
    const usual = await size();
    await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
    expect(await size(), path).toBeGreaterThan(usual * 1.2);
  }
  // Public pages: tests/browser/public-pages.spec.ts.
  expect(await brokenWords(page)).toEqual([]);
  await hydrated(page);
  const width = async (label: string) =>
    (await page.getByLabel(label, { exact: true }).boundingBox())?.width ?? Number.NaN;
  expect(await width("Password")).toBeGreaterThan((await width("Contact Name")) * 0.9);
});

test("on a phone the form is in one column, and wide letters break no word of the headline", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 740 });
  await page.goto(PLAN);
  const tops = await page
    .locator("main :is(a, button, input:not([type=hidden], [name=website]))")
    .evaluateAll((controls) => controls.map((control) => control.getBoundingClientRect().top));
  expect(tops.length).toBeGreaterThan(12);
  expect(tops).toEqual([...tops].sort((a, b) => a - b));

  await page.goto("/");
  await page.evaluate(() => {
    const spacing = new CSSStyleSheet();
    spacing.replaceSync(
      "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }",
    );
    document.adoptedStyleSheets = [spacing];
  });
  const [lines] = await linesOf(page, "h1");
  expect(lines?.filter((line) => line.endsWith("…"))).toEqual([]);
});

test("in a tall window the footer is at the bottom", async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1600 });
  await page.goto("/nothing-here");
  const footer = await page.getByRole("contentinfo").boundingBox();
  expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBe(1600);
});

test("the header never covers a link's target or the focused element", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  const topOf = async (target: Locator) => {
    const header = await page.getByRole("banner").boundingBox();
    const box = await target.boundingBox();
    return (box?.y ?? Number.NaN) - ((header?.y ?? 0) + (header?.height ?? 0));
  };
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/terms");
  for (const name of ["Definitions", "Fees and payment", "Dispute resolution"]) {
    await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name }).click();
    expect(await topOf(page.getByRole("heading", { name: new RegExp(`\\d\\. ${name}`) }))).toBeGreaterThanOrEqual(0);
  }
  await page.goto(PLAN);
  await hydrated(page);
  for (const label of ["Contact Name", "Email Address", "Phone Number", "City", "Country"]) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.getByLabel(label, { exact: true }).evaluate((field) => field.focus());
    expect(await topOf(page.getByText(label, { exact: true }).first()), label).toBeGreaterThanOrEqual(0);
  }
});

test("the home page's animation runs once: the answer appears and its line is drawn", async ({ page }) => {
  await page.goto("/");
  const animations = await page.evaluate(() =>
    document.getAnimations().map((animation) => ({
      name: animation instanceof CSSAnimation ? animation.animationName : "",
      times: animation.effect?.getComputedTiming().iterations,
      seconds: Number(animation.effect?.getComputedTiming().endTime ?? Number.NaN) / 1000,
    })),
  );
  expect(new Set(animations.map(({ name }) => name))).toEqual(new Set(["appear", "draw"]));
  for (const { times, seconds } of animations) {
    expect(times).toBe(1);
    expect(seconds).toBeLessThanOrEqual(2);
  }
});
