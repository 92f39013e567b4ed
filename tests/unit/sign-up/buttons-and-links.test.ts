// @vitest-environment jsdom
import { expect, test, vi } from "vitest";
import { SIGNUP_FINISHED } from "../../../app/signup/server/notices.server";
import { PATH } from "../../support/site-in-process/site-settings";
import { done, LOST, openForm, pagesWithServer, resume, tryThrice } from "./page-with-server";
import { cardStep, pass } from "./rendered-page";

/* What a button or link leaves behind: the page's reply, its history and the focus. */

const open = pagesWithServer();

test.each([
  { step: cardStep, name: "Start over", at: PATH },
  { step: done, name: "Sign up another company", at: PATH },
  { step: resume, name: "Continue this sign-up", at: `${PATH}?resume=x` },
])("a button posts to a URL with a query, by which its page's title knows it: $name", async ({ step, name, at }) => {
  const { button } = await open(step, { at });
  expect(new URL(button(name)?.form?.action ?? "").search).not.toBe("");
});

test("a link that is not reached leaves a finished sign-up's page as it is", async () => {
  const reply = { notice: SIGNUP_FINISHED, isOver: true };
  const { follow, text, button } = await open(resume, { at: `${PATH}?resume=x`, reply });
  await follow("Go to the sign-up");
  await tryThrice();
  expect(button("Continue this sign-up")).toBeUndefined();
  expect(text()).toContain("Go to the sign-up");
});

test("a step that is not reached by going back keeps its entry in the history, and the next try leads there", async () => {
  const { site, follow, place, notice, text } = await open(cardStep);
  // jsdom goes in a task of its own.
  const going = () => pass(1);
  site.step = openForm;
  await follow("Edit details");
  site.step = LOST;
  history.back();
  await going();
  await tryThrice();
  await going();
  expect(notice()).toContain("We could not reach the site.");
  expect(place()).toBe(`${PATH}?edit`);
  site.step = cardStep;
  history.back();
  await going();
  expect(text()).toContain("Please enter your card info");
});

test("a press of Try again leaves the focus at the card's fields, because its button goes", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError()));
  const { press, container } = await open(cardStep);
  await pass(15_000);
  vi.stubGlobal("fetch", () => new Promise(() => {}));
  await press("Try again");
  expect(document.activeElement).toBe(container.querySelector("section[aria-labelledby=card-entry]"));
});

test("a link that could not be copied says so", async () => {
  vi.stubGlobal("navigator", { clipboard: { writeText: () => Promise.reject(new Error("denied")) } });
  const resumeLink = { url: `https://site.example${PATH}?resume=x`, qrCodePath: undefined };
  const { press, text } = await open({ ...cardStep, resumeLink });
  await press("Copy link");
  expect(text()).toContain("Not copied");
});
