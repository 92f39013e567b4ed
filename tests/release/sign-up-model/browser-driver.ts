import { type Browser, type BrowserContext, expect, type Page } from "@playwright/test";
import type { Driver } from "./world";
import { deviceOf } from "./world";

export interface BrowserDriver extends Driver {
  back(tab: number): Promise<string>;
  /** Whether the payment provider's script can be had. */
  provide(tab: number, isThere: boolean): Promise<void>;
  retry(tab: number): Promise<void>;
  dispose(): Promise<void>;
}

const PROVIDER = "**/stripe.js";

/** Two devices in Chromium, with their scripts. */
export async function browserDriver(browser: Browser, baseURL: string): Promise<BrowserDriver> {
  const contexts = await Promise.all([0, 1].map(() => browser.newContext({ baseURL })));
  const keeps = [true, true];
  for (const [device, context] of contexts.entries()) {
    context.setDefaultTimeout(15_000);
    await context.route(`${baseURL}/**`, (route) =>
      keeps[device] ? route.fallback() : withoutCookies(context, route),
    );
  }
  const tabs = new Map<number, Page>();
  const pageIn = async (tab: number): Promise<Page> => {
    const page = tabs.get(tab) ?? (await contexts[deviceOf(tab)]?.newPage());
    if (!page) throw new Error("There is no such device");
    tabs.set(tab, page);
    return page;
  };
  /** The script of the page runs. */
  const ready = async (page: Page) => {
    await page.locator("html").evaluate(async () => {
      const isHydrated = () =>
        Object.keys(document.querySelector("main h1") ?? {}).some((key) => key.startsWith("__react"));
      while (!isHydrated()) await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    });
  };

  const driver: BrowserDriver = {
    runsScripts: true,
    async open(tab, path) {
      const page = await pageIn(tab);
      await page.goto(path);
      await ready(page);
    },
    async reload(tab) {
      const page = await pageIn(tab);
      await page.reload();
      await ready(page);
    },
    async back(tab) {
      const page = await pageIn(tab);
      // The first page of a tab is empty.
      await page.goBack();
      if (page.url() === "about:blank") await page.goForward();
      await ready(page);
      return new URL(page.url()).pathname;
    },
    async send(tab, values) {
      const page = await pageIn(tab);
      for (const [name, value] of Object.entries(values)) await page.locator(`#signup [name="${name}"]`).fill(value);
      const answer = page.waitForResponse((response) => response.request().method() === "POST");
      await page.getByRole("button", { name: "Payment" }).click();
      await answer;
    },
    async press(tab, name) {
      const page = await pageIn(tab);
      const answer = page.waitForResponse((response) => response.request().method() === "POST");
      await page.getByRole("main").getByRole("button", { name, exact: true }).first().click();
      await answer;
    },
    async follow(tab, name) {
      const page = await pageIn(tab);
      const loaded = page.waitForEvent("domcontentloaded");
      await page.getByRole("main").getByRole("link", { name, exact: true }).click();
      await loaded;
      await ready(page);
    },
    async pay(tab, number, times) {
      const page = await pageIn(tab);
      const pay = page.getByRole("button", { name: "Pay", exact: true });
      const card = page.frameLocator("iframe[title='Secure payment input frame']");
      for (let nth = 0; nth < times; nth += 1) {
        // A page whose script finds out that there is nothing to pay for goes on by itself.
        await driver.settles(tab);
        if ((await pay.count()) === 0) return;
        await card.getByLabel("Card number").fill(number);
        await card.getByLabel("Expiration date").fill("12 / 34");
        await card.getByLabel("Security code").fill("123");
        const answer = page.waitForResponse(/\/confirm$/);
        await pay.click();
        await answer;
      }
    },
    async retry(tab) {
      await (await pageIn(tab)).getByRole("button", { name: "Retry", exact: true }).click();
    },
    async settles(tab) {
      const page = await pageIn(tab);
      await expect(async () => {
        await expect(page.locator("main [aria-busy=true]")).toHaveCount(0, { timeout: 1 });
        const isCard = (await page.getByText("Please enter your card info").count()) > 0;
        const [pay, retry] = ["Pay", "Retry"].map((name) => page.getByRole("button", { name, exact: true }));
        if (isCard && pay && retry) await expect(pay.or(retry)).toBeEnabled({ timeout: 1 });
      }).toPass({ timeout: 20_000, intervals: [100] });
    },
    html: async (tab) =>
      (await pageIn(tab)).locator("html").evaluate((page) => {
        const copy = page.cloneNode(true);
        if (!(copy instanceof HTMLElement)) return "";
        // What is typed stands in no attribute.
        const typed = page.querySelectorAll<HTMLInputElement>("#signup input");
        for (const [nth, input] of copy.querySelectorAll("#signup input").entries())
          if (input.getAttribute("type") !== "password") input.setAttribute("value", typed[nth]?.value ?? "");
        return copy.outerHTML;
      }),
    async keepCookies(device, keepsThem) {
      keeps[device] = keepsThem;
    },
    loseCookies: async (device) => contexts[device]?.clearCookies(),
    async provide(tab, isThere) {
      const page = await pageIn(tab);
      if (isThere) await page.unroute(PROVIDER);
      else await page.route(PROVIDER, (route) => route.abort());
    },
    dispose: async () => {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
  return driver;
}

/** As a browser does that blocks cookies: none is sent, and none is kept. */
async function withoutCookies(context: BrowserContext, route: Parameters<Parameters<BrowserContext["route"]>[1]>[0]) {
  const { cookie: _, ...headers } = await route.request().allHeaders();
  // Chromium adds it later than Playwright sees the request; pages here ask for nothing but their own site.
  const response = await route.fetch({ headers: { ...headers, "sec-fetch-site": "same-origin" }, maxRedirects: 0 });
  const { "set-cookie": __, ...kept } = response.headers();
  // Playwright keeps those of its own requests: before the page asks again.
  await context.clearCookies();
  await route.fulfill({ response, headers: kept });
}
