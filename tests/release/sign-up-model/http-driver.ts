import { expect } from "@playwright/test";
import { cookieBrowser } from "../../support/visitors/cookie-browser";
import { type Answer, returnTokenIn, siteVisitor } from "../../support/visitors/site-visitor";
import { enterCard, stripeAt } from "../../support/visitors/visitor";
import type { RunningWorker } from "../../support/workers/workers";
import { shownBy } from "./page";
import { type Driver, deviceOf } from "./world";

export interface HttpDriver extends Driver {
  wait(device: number, hours: number): Promise<void>;
  /** The form that this tab sent last, as by the browser's Back. */
  sendAgain(tab: number, path: string): Promise<void>;
  /** The setup intent's status afterwards. */
  enterCard(tab: number, card: string, times: number): Promise<string>;
  returnFromBank(tab: number): Promise<void>;
}

/** Two browsers without a script; for the card it asks Stripe and the site as the page's script does. */
export function httpDriver(site: RunningWorker, stripe: RunningWorker): HttpDriver {
  const visitor = siteVisitor(site);
  const browsers = [cookieBrowser(visitor), cookieBrowser(visitor)];
  const tabs = Array.from({ length: 4 }, () => ({ path: "", html: "", sent: "", token: "" }));
  const at = <T>(list: T[], index: number): T => {
    const item = list[index];
    if (item === undefined) throw new Error(`There is no item ${index}`);
    return item;
  };

  async function arrive(tab: number, path: string, first: Answer): Promise<void> {
    const shown = at(tabs, tab);
    shown.path = path;
    let answer = first;
    for (let redirects = 0; answer.status === 303; redirects += 1) {
      if (redirects === 5) throw new Error(`${path} leads in a circle`);
      shown.path = answer.headers.get("Location") ?? "";
      answer = await at(browsers, deviceOf(tab)).get(shown.path);
    }
    Object.assign(shown, { html: answer.body, token: returnTokenIn(answer) });
  }

  async function post(tab: number, path: string, form: string): Promise<void> {
    await arrive(tab, path, await at(browsers, deviceOf(tab)).post(form, path));
  }

  /** The element with those words, or the first of several. */
  function find(tab: number, selector: string, words: string): Element {
    const all = [...shownBy(at(tabs, tab).html).document.querySelectorAll(`main ${selector}`)];
    const found = all.find(({ textContent }) => textContent?.trim() === words);
    if (!found) throw new Error(`There is no ${selector} "${words}"`);
    return found;
  }

  const hiddenIn = (form: Element) =>
    [...form.querySelectorAll("input[name]")].map(
      (input) => [input.getAttribute("name") ?? "", input.getAttribute("value") ?? ""] as const,
    );

  const driver: HttpDriver = {
    runsScripts: false,
    open: async (tab, path) => arrive(tab, path, await at(browsers, deviceOf(tab)).get(path)),
    reload: (tab) => driver.open(tab, at(tabs, tab).path),
    async send(tab, values) {
      const form = shownBy(at(tabs, tab).html).document.querySelector("#signup");
      if (!form) throw new Error("There is no form");
      const shown = at(tabs, tab);
      shown.sent = new URLSearchParams({ ...Object.fromEntries(hiddenIn(form)), ...values }).toString();
      await post(tab, form.getAttribute("action") ?? "", shown.sent);
    },
    async press(tab, name) {
      const button = find(tab, "form button", name);
      const form = button.closest("form");
      if (!form) throw new Error("There is no form");
      const own = [button.getAttribute("name") ?? "", button.getAttribute("value") ?? ""];
      const values = [...hiddenIn(form).map((pair) => [...pair]), ...(own[0] ? [own] : [])];
      await post(tab, form.getAttribute("action") ?? "", new URLSearchParams(values).toString());
    },
    async follow(tab, name) {
      await driver.open(tab, find(tab, "a", name).getAttribute("href") ?? "");
    },
    async pay(tab, card, times, isKnown) {
      const status = await driver.enterCard(tab, card, times);
      await isKnown();
      if (status === "requires_payment_method") return;
      // As the page's script does when the card is set up, or cannot be any more.
      await post(tab, pathOnly(tab), `intent=card-set-up&return_token=${at(tabs, tab).token}`);
    },
    html: async (tab) => at(tabs, tab).html,
    settles: async () => {},
    async keepCookies(device, keeps) {
      at(browsers, device).keepsCookies = keeps;
    },
    async loseCookies(device) {
      at(browsers, device).setCookie("");
    },

    wait: (device: number, hours: number) => at(browsers, device).wait(hours * 3_600_000),
    sendAgain: (tab: number, path: string) => post(tab, path, at(tabs, tab).sent),
    async enterCard(tab: number, card: string, times: number): Promise<string> {
      const secret = secretIn(tab);
      for (let nth = 0; nth < times; nth += 1) await enterCard(stripe.url, secret, card);
      const status = async () =>
        (await stripeAt(stripe).setupIntents.retrieve(secret.split("_secret_")[0] ?? "")).status;
      // The API cancels it, a moment after it has heard of the last card.
      if (times === 5) await expect.poll(status).not.toBe("requires_payment_method");
      return status();
    },
    async returnFromBank(tab: number) {
      const secret = secretIn(tab);
      const query = `return=${at(tabs, tab).token}&setup_intent_client_secret=${secret}&redirect_status=succeeded`;
      await driver.open(tab, `${pathOnly(tab)}?${query}`);
    },
  };
  const secretIn = (tab: number) => /seti_\w+_secret_\w+/.exec(at(tabs, tab).html)?.[0] ?? "";
  const pathOnly = (tab: number) => at(tabs, tab).path.split("?")[0] ?? "";
  return driver;
}
