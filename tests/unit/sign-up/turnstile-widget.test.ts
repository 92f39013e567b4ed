// @vitest-environment jsdom
import { act, createElement } from "react";
import { expect, test, vi } from "vitest";
import { ONE_MORE_STEP } from "../../../app/signup/server/notices.server";
import { SignupPage } from "../../../app/signup/signup-page";
import { PLAN } from "../../support/site-in-process/site-settings";
import { renderedPages } from "./rendered-page";

/* Turnstile's widget above the form's button: shown, blocked, and tried again. */

const show = renderedPages();

const NOT_LOADED = "An ad blocker, a privacy extension or a firewall may block challenges.cloudflare.com.";

async function challengedForm() {
  const reply = { notice: ONE_MORE_STEP, challenge: "a-site-key" };
  const page = await show(createElement(SignupPage), { step: "form", packageId: PLAN }, reply);
  const script = () => document.head.querySelector("script");
  return {
    ...page,
    /** The script does not arrive. */
    fail: () => act(async () => script()?.dispatchEvent(new Event("error"))),
    /** The script arrives, and shows what a test's Turnstile renders. */
    load: (render: NonNullable<Window["turnstile"]>["render"]) => {
      vi.stubGlobal("turnstile", { render });
      return act(async () => script()?.dispatchEvent(new Event("load")));
    },
    words: () => page.container.querySelector("form")?.textContent,
  };
}

const shown = (container: HTMLElement, { sitekey }: { sitekey: string }) => container.append(`widget ${sitekey}`);

test("a script that does not load is explained, and can be loaded again", async () => {
  const form = await challengedForm();
  await form.fail();
  expect(form.words()).toContain(NOT_LOADED);
  await form.press("Try again");
  await form.load(shown);
  expect(form.words()).toContain("widget a-site-key");
  expect(form.words()).not.toContain(NOT_LOADED);
});

test("a widget whose frame is blocked is explained, and can be shown again", async () => {
  const form = await challengedForm();
  await form.load((_, options) => options["error-callback"]());
  expect(form.words()).toContain(NOT_LOADED);
  vi.stubGlobal("turnstile", { render: shown });
  await form.press("Try again");
  expect(form.words()).toContain("widget a-site-key");
});

test("a script that has not arrived yet is announced", async () => {
  expect((await challengedForm()).words()).toContain("Loading the bot check…");
});

test("a widget that recovers by itself is no longer explained", async () => {
  const form = await challengedForm();
  await form.load((_, { callback, ...options }) => {
    options["error-callback"]();
    callback();
  });
  expect(form.words()).not.toContain(NOT_LOADED);
});

test("the explanation is in a live region, and its button leaves the focus above the form's", async () => {
  const form = await challengedForm();
  await form.fail();
  const region = [...form.container.querySelectorAll("[role=status]")].find((one) =>
    one.textContent?.includes(NOT_LOADED),
  );
  expect(region).toBeDefined();
  form.button("Try again")?.focus();
  await form.press("Try again");
  expect(document.activeElement).toBe(region?.nextElementSibling);
});
