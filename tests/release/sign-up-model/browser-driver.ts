import { type Browser, type BrowserContext, expect, type Page, type Route } from "@playwright/test";
import { type Shown, shownBy } from "./model-page";
import { at, type Driver, deviceOf } from "./model-world";

export interface BrowserDriver extends Driver {
  back(tab: number): Promise<void>;
  /** Blocks Stripe.js. */
  reloadWithoutProvider(tab: number): Promise<void>;
  /** Delays Stripe.js; checks the page meanwhile. */
  reloadWithSlowProvider(tab: number): Promise<Shown>;
  /** Makes storage throw in pages opened from now on. */
  blockStorage(device: number): Promise<void>;
}

const PROVIDER = "**/stripe.js";
const PATIENCE = { timeout: 20_000, intervals: [20, 50] };

/** Two devices in Chromium, with their scripts. */
export async function browserDriver(browser: Browser, baseURL: string): Promise<BrowserDriver> {
  // A page fulfilled by Playwright has no address space, so Chromium would ask before it loads a local Stripe.js.
  const permissions = ["local-network-access"];
  const contexts = await Promise.all([0, 1].map(() => browser.newContext({ baseURL, permissions })));
  const keeps = [true, true];
  for (const [device, context] of contexts.entries()) {
    context.setDefaultTimeout(15_000);
    await context.route(`${baseURL}/**`, (route) =>
      keeps[device] ? route.fallback() : withoutCookies(context, route),
    );
  }
  const tabs = new Map<number, Page>();
  const pageIn = async (tab: number): Promise<Page> => {
    const page = tabs.get(tab) ?? (await at(contexts, deviceOf(tab)).newPage());
    tabs.set(tab, page);
    return page;
  };

  /** Retries, because a page may navigate while it is read. */
  async function lookUntil(tab: number, isEnough: (shown: Shown, reading: Reading) => boolean): Promise<Shown> {
    const page = await pageIn(tab);
    let shown = shownBy("");
    await expect(async () => {
      const reading = await page.evaluate(readPage);
      shown = shownBy(reading.html, reading.secret);
      expect(isEnough(shown, reading), shown.words).toBe(true);
    }).toPass(PATIENCE);
    return shown;
  }

  const driver: BrowserDriver = {
    runsScripts: true,
    async open(tab, path) {
      await (await pageIn(tab)).goto(path);
    },
    async reload(tab) {
      await (await pageIn(tab)).reload();
    },
    async back(tab) {
      const page = await pageIn(tab);
      await page.goBack();
      // The first page of a tab is empty.
      if (page.url() === "about:blank") await page.goForward();
    },
    async send(tab, values) {
      const page = await pageIn(tab);
      for (const [name, value] of Object.entries(values)) await page.locator(`#signup [name="${name}"]`).fill(value);
      await page.getByRole("button", { name: "Payment" }).click();
    },
    async press(tab, name) {
      await (await pageIn(tab)).getByRole("main").getByRole("button", { name, exact: true }).first().click();
    },
    async follow(tab, name) {
      const page = await pageIn(tab);
      const loaded = page.waitForEvent("domcontentloaded");
      await page.getByRole("main").getByRole("link", { name, exact: true }).click();
      await loaded;
    },
    async enterCard(tab, number) {
      const page = await pageIn(tab);
      const retry = page.getByRole("button", { name: "Retry", exact: true });
      if ((await retry.count()) > 0) await retry.click();
      // If nothing is left to pay, the page's script continues by itself.
      if ((await driver.look(tab)).kind !== "card") return;
      const card = page.frameLocator("iframe[title='Secure payment input frame']");
      await card.getByLabel("Card number").fill(number);
      await card.getByLabel("Expiration date").fill("12 / 34");
      await card.getByLabel("Security code").fill("123");
      await page.getByRole("button", { name: "Pay", exact: true }).click();
      await driver.look(tab);
    },
    proceed: async () => {},
    look: (tab) => lookUntil(tab, ({ kind }, { isQuiet, isLive }) => isQuiet && (kind !== "card" || isLive)),
    async keepCookies(device, keepsThem) {
      keeps[device] = keepsThem;
    },
    loseCookies: async (device) => at(contexts, device).clearCookies(),
    async reloadWithoutProvider(tab) {
      const page = await pageIn(tab);
      await page.route(PROVIDER, (route) => route.abort());
      await page.reload();
      await driver.look(tab);
      await page.unroute(PROVIDER);
    },
    async reloadWithSlowProvider(tab) {
      const page = await pageIn(tab);
      const slow = { isAsked: false, letGo: () => {} };
      const there = new Promise<void>((resolve) => {
        slow.letGo = resolve;
      });
      await page.route(PROVIDER, async (route) => {
        slow.isAsked = true;
        await there;
        await route.continue();
      });
      await page.reload();
      const shown = await lookUntil(tab, ({ kind }, { isQuiet }) => isQuiet && (kind !== "card" || slow.isAsked));
      slow.letGo();
      await driver.look(tab);
      await page.unroute(PROVIDER);
      return shown;
    },
    async blockStorage(device) {
      await at(contexts, device).addInitScript(() => {
        for (const name of ["localStorage", "sessionStorage"]) {
          const get = () => {
            throw new DOMException("Storage is blocked", "SecurityError");
          };
          Object.defineProperty(window, name, { get });
        }
      });
    },
    dispose: async () => {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
  return driver;
}

interface Reading {
  html: string;
  secret: string;
  /** The page's script runs, and waits for its visitor. */
  isQuiet: boolean;
  /** The card's fields, or the button that loads them again, are ready. */
  isLive: boolean;
}

/** Runs in the page, once React has shown what the router knows. */
async function readPage(): Promise<Reading> {
  for (let times = 0; times < 2; times += 1)
    await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }));
  const state = window.__remixRouter?.state;
  const isHydrated = Object.keys(document.querySelector("main h1") ?? {}).some((key) => key.startsWith("__react"));
  const isIdle =
    state?.initialized &&
    state.navigation.state === "idle" &&
    state.revalidation === "idle" &&
    [...state.fetchers.values()].every((fetcher) => fetcher.state === "idle");
  const isLive = [...document.querySelectorAll<HTMLButtonElement>("main button")].some(
    ({ textContent, disabled }) => !disabled && (textContent === "Pay" || textContent === "Retry"),
  );
  const isLoaded = document.querySelector("main .step-main") !== null;
  const data: { clientSecret?: string }[] = Object.values(state?.loaderData ?? {});
  const copy = document.implementation.createHTMLDocument();
  copy.documentElement.innerHTML = document.documentElement.innerHTML;
  // Typed text is in properties, not attributes.
  const typed = document.querySelectorAll<HTMLInputElement>("#signup input");
  for (const [nth, input] of copy.querySelectorAll("#signup input").entries())
    if (input.getAttribute("type") !== "password") input.setAttribute("value", typed[nth]?.value ?? "");
  return {
    html: copy.documentElement.outerHTML,
    secret: data.find(({ clientSecret }) => clientSecret !== undefined)?.clientSecret ?? "",
    isQuiet: Boolean(isIdle && isHydrated && isLoaded),
    isLive,
  };
}

/** Blocks cookies: sends and stores none. */
async function withoutCookies(context: BrowserContext, route: Route) {
  const { cookie: _, ...headers } = await route.request().allHeaders();
  // Chromium adds the header after Playwright sees the request; these pages request only their own site.
  const response = await route.fetch({ headers: { ...headers, "sec-fetch-site": "same-origin" }, maxRedirects: 0 });
  const { "set-cookie": __, ...kept } = response.headers();
  // Runs before the page's next request, because Playwright stores cookies of its own requests.
  await context.clearCookies();
  await route.fulfill({ response, headers: kept });
}
