// @vitest-environment jsdom
import { act, createElement } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ONE_MORE_STEP } from "../../../app/signup/server/notices.server";
import { SignupPage } from "../../../app/signup/signup-page";
import { NOW, stopClock } from "../../support/clock";
import { PLAN } from "../../support/site-in-process/site-settings";
import { renderedPages } from "./rendered-page";

/* Scripts that are blocked or gone, and tried again: Turnstile's above the form's button, and the card form's own. */

describe("Turnstile's widget", () => {
  const show = renderedPages({ isTranslated: true });
  const NOT_LOADED = "An ad blocker, a privacy extension or a firewall may block challenges.cloudflare.com.";
  type Render = NonNullable<Window["turnstile"]>["render"];
  const renders: Render = (container, { sitekey }) => container.append(`widget ${sitekey}`);

  async function challengedForm() {
    const reply = { notice: ONE_MORE_STEP, challenge: "a-site-key" };
    const page = await show(createElement(SignupPage), { step: "form", packageId: PLAN }, reply);
    const script = () => document.head.querySelector("script");
    return {
      ...page,
      /** The script does not arrive. */
      fail: () => act(async () => script()?.dispatchEvent(new Event("error"))),
      /** The script arrives, and renders so. */
      load: (render: Render) => {
        vi.stubGlobal("turnstile", { render });
        return act(async () => script()?.dispatchEvent(new Event("load")));
      },
      words: () => page.container.querySelector("form")?.textContent,
    };
  }

  test("is explained in a live region while it does not load or its frame is blocked, and keeps the focus when tried again", async () => {
    const form = await challengedForm();
    const asks = "One more stepMany sign-ups come from your network. Above the button, confirm you’re not a bot.";
    expect(form.container.textContent).toContain(asks);
    expect(form.words(), "before the script arrives").toContain("Loading the bot check…");
    await form.fail();
    const regions = [...form.container.querySelectorAll("[role=status]")];
    const region = regions.find((one) => one.textContent?.includes(NOT_LOADED));
    expect(region).toBeDefined();
    form.button("Try again")?.focus();
    await form.press("Try again");
    expect(document.activeElement).toBe(region?.nextElementSibling);
    expect(form.words(), "while it loads again").toContain("Loading the bot check…");
    let recover = () => {};
    let block = () => true;
    await form.load((_, options) => {
      recover = options.callback;
      block = options["error-callback"];
    });
    expect(form.words()).not.toContain(NOT_LOADED);
    await act(async () => void block());
    expect(form.words()).toContain(NOT_LOADED);
    await act(async () => recover());
    expect(form.words()).not.toContain(NOT_LOADED);
    await act(async () => void block());
    vi.stubGlobal("turnstile", { render: renders });
    await form.press("Try again");
    expect(form.words()).toContain("widget a-site-key");
    expect(form.words()).not.toContain(NOT_LOADED);
  });
});

describe("the card form's own file, which is gone with its release", () => {
  vi.doMock("../../../app/signup/card/stripe-elements", () => {
    throw new TypeError("Failed to fetch dynamically imported module");
  });

  stopClock();
  afterEach(() => void vi.unstubAllGlobals());

  /** A tab whose history entry survives a reload, and whose modules do not. */
  function openTab({ siteAnswers = 200 } = {}) {
    history.replaceState({ key: "of the router" }, "");
    vi.stubGlobal("fetch", async () => new Response(null, { status: siteAnswers }));
    const load = async (how: "loadStripeElements" | "loadStripeElementsAgain") => {
      vi.resetModules();
      const script = await import("../../../app/signup/card/card-script");
      return new Promise<string>((resolve) => {
        vi.stubGlobal("location", { reload: () => resolve("reloaded") });
        script[how]().then(
          () => resolve("loaded"),
          () => resolve("failed"),
        );
      });
    };
    return { view: () => load("loadStripeElements"), tryAgain: () => load("loadStripeElementsAgain") };
  }

  test("makes a page reload once in ten seconds, and as often as the visitor asks", async () => {
    const { view, tryAgain } = openTab();
    const told = [await view(), await view(), await tryAgain(), await view(), await tryAgain(), await view()];
    expect(told).toEqual(["reloaded", "failed", "reloaded", "failed", "reloaded", "failed"]);
    vi.setSystemTime(NOW + 9_999);
    expect(await view()).toBe("failed");
    vi.setSystemTime(NOW + 10_000);
    expect(await view()).toBe("reloaded");
    expect(history.state, "the router keeps its own").toMatchObject({ key: "of the router" });
  });

  test("makes a page reload never while the site does not answer", async () => {
    const { view, tryAgain } = openTab({ siteAnswers: 503 });
    expect([await view(), await tryAgain(), await view()]).toEqual(["failed", "failed", "failed"]);
  });
});
