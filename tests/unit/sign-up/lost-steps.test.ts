// @vitest-environment jsdom
import { redirect } from "@remix-run/cloudflare";
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import { expect, test } from "vitest";
import { titleOf } from "../../../app/company";
import { SIGNUP_FINISHED } from "../../../app/signup/server/notices.server";
import type { SignupReply, SignupStep } from "../../../app/signup/steps";
import { PATH } from "../../support/site-in-process/site-settings";
import {
  cardStep,
  done,
  LOST,
  openForm,
  pagesWithServer,
  pass,
  RETURN_PATH,
  resume,
  type Said,
  SERVER_ERROR,
  tryThrice,
  UNREADABLE,
  waiting,
} from "./rendered-page";

/* The page while the site cannot be reached. */

const open = pagesWithServer();

const SITE_LOST = "Connection FailedWe could not reach the site. Check your connection, then try again.";
const OUTCOME_LOST =
  "Connection FailedWe could not reach the site to finish your sign-up. Check your connection and keep this page open: we’ll keep trying.";
const API_LOST = "Connection FailedUnable to connect to the API server. Please check your connection and try again.";
const NOT_AGAIN = "We couldn’t start another sign-up";
const UNEXPECTED = "Submission FailedAn unexpected error occurred. Please try again.";

test.each<{ trouble: string; said: Said<SignupStep> }>([
  { trouble: "the connection is lost", said: LOST },
  { trouble: "a proxy answers with its page", said: UNREADABLE },
  { trouble: "a proxy answers without content", said: null },
])("a link whose step is lost keeps the page, says so after three tries, and later leads on: $trouble", async (row) => {
  const { site, follow, notice, hasFocus, place, text, field } = await open(cardStep);
  site.step = row.said;
  await follow("Edit details");
  await tryThrice();
  expect(notice()).toBe(SITE_LOST);
  expect(hasFocus()).toBe(true);
  expect(text()).toContain("Please enter your card info");
  expect(place()).toBe(PATH);
  expect(site.asked, "how often the site was asked for the step").toBe(3);
  await follow("Edit details");
  expect(notice(), "while it is asked again").toBe("");
  await pass(500);
  site.step = openForm;
  await pass(1_500);
  expect(field("city"), "the step that arrived at the third try").not.toBeNull();
  expect(notice()).toBe("");
});

test("a link's step is lost if the site has not answered within 30 seconds, and what was typed is kept", async () => {
  const { site, follow, field, notice } = await open(openForm);
  const typed = field("city");
  Object.assign(typed ?? {}, { value: "Springfield" });
  site.step = "never";
  await follow("Finish it");
  await pass(29_999);
  expect(notice()).toBe("");
  await pass(1);
  expect(notice()).toBe(SITE_LOST);
  expect(field("city")).toBe(typed);
  expect(typed?.value).toBe("Springfield");
});

const TOO_LARGE = new ErrorResponse(413, "Too much data", "Too large.");
const START_OVER = { step: cardStep, button: "Start over" };
const ANOTHER = { step: done, button: "Sign up another company" };
const UNANSWERED = `${NOT_AGAIN}${API_LOST.replace("Connection Failed", "")}Your subscription is not affected.`;

test.each<{
  failure: string;
  step: SignupStep;
  button: string;
  reply: Said<SignupReply>;
  after?: number;
  says: string;
}>([
  { failure: "Start over, offline", ...START_OVER, reply: LOST, says: API_LOST },
  { failure: "Start over, refused", ...START_OVER, reply: { notice: SIGNUP_FINISHED }, says: SIGNUP_FINISHED.title },
  { failure: "Start over, refused by the guard", ...START_OVER, reply: TOO_LARGE, says: "Submission FailedToo large." },
  { failure: "Start over, answered by a proxy", ...START_OVER, reply: UNREADABLE, says: UNEXPECTED },
  { failure: "Start over, answered without content", ...START_OVER, reply: null, says: UNEXPECTED },
  // The next step is then not reached.
  { failure: "Start over, then lost", ...START_OVER, reply: redirect(PATH), says: SITE_LOST },
  { failure: "another, then lost", ...ANOTHER, reply: redirect(PATH), says: NOT_AGAIN },
  { failure: "another, unanswered", ...ANOTHER, reply: "never", after: 30_000, says: UNANSWERED },
  { failure: "Continue, offline", step: resume, button: "Continue this sign-up", reply: LOST, says: API_LOST },
])("a button that fails says so at its step: $failure", async ({ step, button, reply, after = 0, says }) => {
  const page = await open(step);
  page.site.reply = reply;
  await page.press(button);
  if (after > 0) await pass(after - 1);
  if (after > 0) expect(page.notice(), "before the limit").toBe("");
  await (after > 0 ? pass(1) : tryThrice());
  expect(page.notice()).toContain(says);
  expect(page.hasFocus()).toBe(true);
  expect(page.button(button)).toBeDefined();
});

/** The card step, once it has gone to where the server decides the next step. */
async function lost() {
  const page = await open(cardStep);
  await page.go(RETURN_PATH);
  await tryThrice();
  return page;
}

test("a card's lost outcome keeps the card step, is told once, and is asked for after pauses up to a minute", async () => {
  const { site, notice, hasFocus, text, place } = await lost();
  expect(notice()).toBe(OUTCOME_LOST);
  expect(hasFocus()).toBe(true);
  expect(text()).toContain("Please enter your card info");
  expect(place()).toBe(RETURN_PATH);
  const announced = document.activeElement;
  for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
    const before = site.asked;
    await pass(seconds * 1_000 - 1);
    expect(site.asked, `before ${seconds} seconds`).toBe(before);
    await pass(1);
    await tryThrice();
    if (seconds === 2) expect(document.activeElement, "the notice after the next try").toBe(announced);
  }
  expect(site.asked, "how often the site was asked, thrice each time").toBe(3 * 8);
});

test("a card's lost outcome is asked for at once when the connection is back, and shown", async () => {
  const { site, reconnect, text, notice } = await lost();
  site.step = done;
  await reconnect();
  expect(text()).toContain("Subscription Successful!");
  expect(notice()).toBe("");
});

test("a card's lost outcome is still asked for after a link was not reached either", async () => {
  const { site, follow, notice, text } = await lost();
  await follow("Edit details");
  await tryThrice();
  expect(notice()).toBe(OUTCOME_LOST);
  site.step = done;
  await pass(2_000);
  expect(text()).toContain("Subscription Successful!");
});

test.each([
  { by: "by itself, at a URL with a hash", isAsked: false },
  { by: "as the visitor asks", isAsked: true },
])("a waiting step that checks $by and is not reached says so, and goes on checking", async ({ isAsked }) => {
  const { site, notice, text, hasFocus, follow } = await open(waiting, { at: `${PATH}#main` });
  await pass(9_999);
  expect(site.asked, "before ten seconds").toBe(0);
  await (isAsked ? follow("Check now") : pass(1));
  await tryThrice();
  expect(notice()).toBe(OUTCOME_LOST);
  expect(hasFocus()).toBe(true);
  expect(text()).toContain("Nothing is lost.");
  site.step = done;
  await pass(10_000);
  expect(text()).toContain("Subscription Successful!");
});

test("an error of the site's own has a page that is at its top, focused and titled", async () => {
  const { site, follow, container } = await open(cardStep);
  site.step = SERVER_ERROR;
  await follow("Edit details");
  const heading = container.querySelector("h1");
  expect(heading?.textContent).toBe("Unexpected Application Error");
  expect(document.activeElement).toBe(heading);
  expect(document.title).toBe(titleOf("Unexpected Application Error"));
  expect(scrollTo).toHaveBeenCalledWith({ top: 0, behavior: "instant" });
  expect(site.asked, "how often the site was asked for the step").toBe(1);
});
