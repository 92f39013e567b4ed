// @vitest-environment jsdom
import { redirect } from "@remix-run/cloudflare";
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import { describe, expect, test } from "vitest";
import { SIGNUP_FINISHED } from "../../../app/signup/server/notices.server";
import type { SignupReply, SignupStep } from "../../../app/signup/steps";
import { PATH } from "../../support/site-in-process/site-settings";
import {
  done,
  LOST,
  openForm,
  pagesWithServer,
  resume,
  type Said,
  SERVER_ERROR,
  tryThrice,
  UNREADABLE,
  waiting,
} from "./page-with-server";
import { cardStep, pass, RETURN_PATH } from "./rendered-page";

/* The page while the site cannot be reached. */

const open = pagesWithServer();

const SITE_LOST = "Connection FailedWe could not reach the site. Check your connection, then try again.";
const OUTCOME_LOST =
  "Connection FailedWe could not reach the site to finish your sign-up. Check your connection and keep this page open: we try again.";
const API_LOST = "Connection FailedUnable to connect to the API server. Please check your connection and try again.";

/** The next step is then not reached. */
const ACCEPTED = redirect(PATH);

describe("a link whose step is not reached", () => {
  test.each<{ trouble: string; said: Said<SignupStep> }>([
    { trouble: "Chromium lost the connection", said: LOST },
    { trouble: "Safari lost the connection", said: new TypeError("The network connection was lost.") },
    { trouble: "a proxy answers with its page", said: UNREADABLE },
    { trouble: "a proxy answers without content", said: null },
  ])("keeps the page and says so after three tries: $trouble", async ({ said }) => {
    const { site, follow, notice, hasFocus, place, text } = await open(cardStep);
    site.step = said;
    await follow("Edit details");
    await tryThrice();
    expect(notice()).toBe(SITE_LOST);
    expect(hasFocus()).toBe(true);
    expect(text()).toContain("Please enter your card info");
    expect(place()).toBe(PATH);
    expect(site.asked).toBe(3);
  });

  test("is shown if it arrives at the third try", async () => {
    const { site, follow, field, notice } = await open(cardStep);
    await follow("Edit details");
    await pass(500);
    site.step = openForm;
    await pass(1_500);
    expect(field("city")).not.toBeNull();
    expect(notice()).toBe("");
  });

  test("is lost if the site has not answered within 30 seconds three times", async () => {
    const { site, follow, notice } = await open(openForm);
    site.step = "never";
    await follow("Finish it");
    for (const wait of [30_000, 500, 30_000, 1_500, 29_999]) await pass(wait);
    expect(notice()).toBe("");
    await pass(1);
    expect(notice()).toBe(SITE_LOST);
  });

  test("can be followed again, which takes the notice away", async () => {
    const { site, follow, field, notice } = await open(cardStep);
    await follow("Edit details");
    await tryThrice();
    site.step = "never";
    await follow("Edit details");
    expect(notice()).toBe("");
    site.step = openForm;
    await pass(30_000);
    await pass(500);
    expect(field("city")).not.toBeNull();
  });

  test("keeps what was typed", async () => {
    const { follow, field } = await open(openForm);
    field("city")?.setAttribute("data-same", "");
    Object.assign(field("city") ?? {}, { value: "Springfield" });
    await follow("Finish it");
    await tryThrice();
    expect(field("city")?.value).toBe("Springfield");
    expect(field("city")?.hasAttribute("data-same")).toBe(true);
  });
});

test.each<{ name: string; step: SignupStep; button: string; reply: Said<SignupReply>; says: string }>([
  { name: "Start over, offline", step: cardStep, button: "Start over", reply: LOST, says: API_LOST },
  {
    name: "Start over, refused by the server",
    step: cardStep,
    button: "Start over",
    reply: { notice: SIGNUP_FINISHED },
    says: "This sign-up is finished",
  },
  {
    name: "Start over, refused by the guard",
    step: cardStep,
    button: "Start over",
    reply: new ErrorResponse(413, "Too much data", "The form is too large."),
    says: "Submission FailedThe form is too large.",
  },
  {
    name: "Start over, answered by a proxy",
    step: cardStep,
    button: "Start over",
    reply: UNREADABLE,
    says: "Submission FailedAn unexpected error occurred. Please try again.",
  },
  {
    name: "Start over, answered without content",
    step: cardStep,
    button: "Start over",
    reply: null,
    says: "Submission FailedAn unexpected error occurred. Please try again.",
  },
  { name: "Start over, then lost", step: cardStep, button: "Start over", reply: ACCEPTED, says: SITE_LOST },
  { name: "Sign up another company", step: done, button: "Sign up another company", reply: LOST, says: API_LOST },
  { name: "Sign up, then lost", step: done, button: "Sign up another company", reply: ACCEPTED, says: SITE_LOST },
  { name: "Continue this sign-up", step: resume, button: "Continue this sign-up", reply: LOST, says: API_LOST },
  { name: "Continue, then lost", step: resume, button: "Continue this sign-up", reply: ACCEPTED, says: SITE_LOST },
])("a button that fails says so at its step: $name", async ({ step, button, reply, says }) => {
  const page = await open(step);
  page.site.reply = reply;
  await page.press(button);
  await tryThrice();
  expect(page.notice()).toContain(says);
  expect(page.hasFocus()).toBe(true);
  expect(page.button(button)).toBeDefined();
});

test("a form whose answer takes 90 seconds has failed", async () => {
  const { site, press, notice } = await open(done);
  site.reply = "never";
  await press("Sign up another company");
  await pass(89_999);
  expect(notice()).toBe("");
  await pass(1);
  expect(notice()).toBe(API_LOST);
});

describe("a card's outcome that is not reached", () => {
  /** The card step, once it has gone to where the server decides the next step. */
  async function lost() {
    const page = await open(cardStep, { at: RETURN_PATH });
    await page.reconnect();
    await tryThrice();
    return page;
  }

  test("keeps the card step and says that the page tries again", async () => {
    const { notice, hasFocus, text, place } = await lost();
    expect(notice()).toBe(OUTCOME_LOST);
    expect(hasFocus()).toBe(true);
    expect(text()).toContain("Please enter your card info");
    expect(place()).toBe(RETURN_PATH);
  });

  test("is asked for after pauses that grow to a minute", async () => {
    const { site } = await lost();
    for (const pause of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      const before = site.asked;
      await pass(pause - 1);
      expect(site.asked - before, `before ${pause} ms`).toBe(0);
      await pass(1);
      expect(site.asked - before, `after ${pause} ms`).toBe(1);
      await tryThrice();
    }
  });

  test("is announced once, however often it is asked for", async () => {
    const { container } = await lost();
    const notice = container.querySelector("[role=alert] .notice");
    await pass(2_000);
    await tryThrice();
    expect(container.querySelector("[role=alert] .notice")).toBe(notice);
  });

  test("is asked for at once when the connection is back, and shown", async () => {
    const { site, reconnect, text, notice } = await lost();
    site.step = done;
    await reconnect();
    expect(text()).toContain("Subscription Successful!");
    expect(notice()).toBe("");
  });

  test("is still asked for after a link was not reached either", async () => {
    const { site, follow, notice, text } = await lost();
    await follow("Edit details");
    await tryThrice();
    expect(notice()).toBe(OUTCOME_LOST);
    site.step = done;
    await pass(2_000);
    expect(text()).toContain("Subscription Successful!");
  });
});

test("a waiting step that is not reached says so, and goes on checking", async () => {
  const { site, notice, text } = await open(waiting);
  await pass(10_000);
  await tryThrice();
  expect(notice()).toBe(OUTCOME_LOST);
  site.step = done;
  await pass(10_000);
  expect(text()).toContain("Subscription Successful!");
});

test("a waiting step that the visitor checks offline says so", async () => {
  const { follow, notice, hasFocus, text } = await open(waiting);
  await follow("Check now");
  await tryThrice();
  expect(notice()).toBe(OUTCOME_LOST);
  expect(hasFocus()).toBe(true);
  expect(text()).toContain("Nothing is lost.");
});

test("a waiting step is checked even at a URL with a hash", async () => {
  const { site } = await open(waiting, { at: `${PATH}#main` });
  await pass(10_000);
  expect(site.asked).toBe(1);
});

test("an error of the site's own has a page that is at its top, focused and titled", async () => {
  const { site, follow, container } = await open(cardStep);
  site.step = SERVER_ERROR;
  await follow("Edit details");
  const heading = container.querySelector("h1");
  expect(heading?.textContent).toBe("Unexpected Application Error");
  expect(document.activeElement).toBe(heading);
  expect(document.title).toBe("Unexpected Application Error · Citewell");
  expect(scrollTo).toHaveBeenCalledWith({ top: 0, behavior: "instant" });
  expect(site.asked).toBe(1);
});
