import { cookieBrowser } from "../../support/visitors/cookie-browser";
import { type Answer, returnTokenIn, siteVisitor } from "../../support/visitors/site-visitor";
import { enterCard } from "../../support/visitors/visitor";
import { type Shown, shownBy } from "./model-page";
import { at, type Driver, deviceOf, type Servers } from "./model-world";

export interface HttpDriver extends Driver {
  /** Ages a device's session by some hours. */
  wait(device: number, hours: number): Promise<void>;
  /** Sends this tab's last form again, as after the browser's Back. */
  sendAgain(tab: number): Promise<void>;
  returnFromBank(tab: number): Promise<void>;
}

/** Two browsers without scripts; for the card it makes the requests of the page's script. */
export function httpDriver({ site, stripe }: Servers): HttpDriver {
  const visitor = siteVisitor(site);
  const browsers = [cookieBrowser(visitor), cookieBrowser(visitor)];
  const tabs = Array.from({ length: 4 }, () => ({
    path: "",
    shown: shownBy(""),
    token: "",
    sent: { path: "", form: "" },
  }));
  const browserOf = (tab: number) => at(browsers, deviceOf(tab));

  async function arrive(tab: number, path: string, first: Answer): Promise<void> {
    const page = at(tabs, tab);
    page.path = path;
    let answer = first;
    for (let redirects = 0; answer.status === 303; redirects += 1) {
      if (redirects === 5) throw new Error(`${path} leads in a circle`);
      page.path = answer.headers.get("Location") ?? "";
      answer = await browserOf(tab).get(page.path);
    }
    page.shown = shownBy(answer.body);
    page.token = returnTokenIn(answer);
  }

  async function post(tab: number, path: string, form: string): Promise<void> {
    await arrive(tab, path, await browserOf(tab).post(form, path));
  }

  /** The first element with this text. */
  function find(tab: number, selector: string, words: string): Element {
    const all = [...at(tabs, tab).shown.document.querySelectorAll(`main ${selector}`)];
    const found = all.find(({ textContent }) => textContent?.trim() === words);
    if (!found) throw new Error(`There is no ${selector} "${words}"`);
    return found;
  }

  function valuesIn(form: Element): Record<string, string> {
    const inputs = [...form.querySelectorAll("input[name]")];
    return Object.fromEntries(
      inputs.map((input) => [input.getAttribute("name") ?? "", input.getAttribute("value") ?? ""]),
    );
  }

  const pathOnly = (tab: number) => at(tabs, tab).path.split("?")[0] ?? "";
  const secretIn = ({ html }: Shown) => /seti_\w+_secret_\w+/.exec(html)?.[0] ?? "";

  const driver: HttpDriver = {
    runsScripts: false,
    open: async (tab, path) => arrive(tab, path, await browserOf(tab).get(path)),
    reload: (tab) => driver.open(tab, at(tabs, tab).path),
    async send(tab, values) {
      const page = at(tabs, tab);
      const form = page.shown.document.querySelector("#signup");
      if (!form) throw new Error("There is no form");
      page.sent = {
        path: form.getAttribute("action") ?? "",
        form: new URLSearchParams({ ...valuesIn(form), ...values }).toString(),
      };
      await driver.sendAgain(tab);
    },
    async press(tab, name) {
      const button = find(tab, "form button", name);
      const form = button.closest("form");
      if (!form) throw new Error("There is no form");
      const values = { ...valuesIn(form), [button.getAttribute("name") ?? ""]: button.getAttribute("value") ?? "" };
      await post(tab, form.getAttribute("action") ?? "", new URLSearchParams(values).toString());
    },
    follow: async (tab, name) => driver.open(tab, find(tab, "a", name).getAttribute("href") ?? ""),
    async enterCard(tab, number) {
      await enterCard(stripe.url, secretIn(at(tabs, tab).shown), number);
    },
    proceed: (tab) => post(tab, pathOnly(tab), `intent=card-set-up&return_token=${at(tabs, tab).token}`),
    look: async (tab) => at(tabs, tab).shown,
    async keepCookies(device, keeps) {
      at(browsers, device).keepsCookies = keeps;
    },
    async loseCookies(device) {
      at(browsers, device).setCookie("");
    },
    dispose: async () => {},
    async wait(device, hours) {
      const browser = at(browsers, device);
      if (browser.cookie().startsWith("signup=")) await browser.wait(hours * 3_600_000);
    },
    sendAgain: (tab) => post(tab, at(tabs, tab).sent.path, at(tabs, tab).sent.form),
    async returnFromBank(tab) {
      const { shown, token } = at(tabs, tab);
      const query = `return=${token}&setup_intent_client_secret=${secretIn(shown)}&redirect_status=succeeded`;
      await driver.open(tab, `${pathOnly(tab)}?${query}`);
    },
  };
  return driver;
}
