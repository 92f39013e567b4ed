// @vitest-environment jsdom
import { act, createElement } from "react";
import { expect, test, vi } from "vitest";
import { LOADING_LIMIT_MS } from "../../../app/signup/durations";
import { SIGNUP_FINISHED } from "../../../app/signup/server/notices.server";
import type { SignupStep } from "../../../app/signup/steps";
import { ErrorPage } from "../../../app/ui/layout/error-page";
import { PATH, PLAN } from "../../support/site-in-process/site-settings";
import {
  cardStep,
  done,
  form,
  LOST,
  openForm,
  pagesWithServer,
  pass,
  resume,
  tryThrice,
  waiting,
} from "./rendered-page";

/* What a button, a link or another tab leaves behind: the page's step, notice, history and focus; and an error page. */

const open = pagesWithServer();

const declined: SignupStep = { ...cardStep, flash: "declined", message: "Insufficient funds" };

test.each<{ what: string; shown: SignupStep; found: SignupStep; says: string }>([
  { what: "shows a step that has changed elsewhere", shown: cardStep, found: done, says: "Subscription Successful!" },
  { what: "keeps a notice whose cause is there", shown: declined, found: cardStep, says: "Insufficient funds" },
])("a tab that the visitor comes back to $what", async ({ shown, found, says }) => {
  const { site, comeBack, text } = await open(shown);
  site.step = found;
  await comeBack();
  expect(text()).toContain(says);
});

test("a tab to which the visitor comes back says nothing if the site is lost, unlike its next link", async () => {
  const { comeBack, follow, notice, text } = await open(cardStep);
  await comeBack();
  await tryThrice();
  expect(notice()).toBe("");
  expect(text()).toContain("Please enter your card info");
  await follow("Edit details");
  await tryThrice();
  expect(notice()).toContain("We could not reach the site");
});

test("a form offers a sign-up begun elsewhere and keeps what was typed, and its notice until it is sent", async () => {
  const reply = { form: { initialValue: { package_id: PLAN } }, notice: SIGNUP_FINISHED };
  const { site, comeBack, press, text, field, notice } = await open(form, { reply });
  Object.assign(field("city") ?? {}, { value: "Springfield" });
  for (const { step, isOffered } of [
    { step: cardStep, isOffered: true },
    { step: done, isOffered: false },
  ]) {
    site.step = step;
    await comeBack();
    expect(text().includes("Your STANDARD sign-up still needs a card"), step.step).toBe(isOffered);
    expect(field("city")?.value).toBe("Springfield");
    expect(notice()).toContain("This sign-up is finished");
  }
  await press("Payment");
  expect(text(), "the browser refuses the form").toContain("Phone number is required");
  expect(notice()).toBe("");
});

test("an error page asks to include the request ID, if it has one", async () => {
  const asks = { "": "contact support.", "r-1": "contact support and include the request ID.Request ID: r-1" };
  for (const [requestId, says] of Object.entries(asks)) {
    const { text } = await open(form, { element: createElement(ErrorPage, { title: "Error", requestId }) });
    expect(text()).toContain(`If it happens again, ${says}`);
  }
});

test.each([
  { step: cardStep, name: "Start over" },
  { step: cardStep, name: "Edit details" },
  { step: cardStep, name: "Choose another plan" },
  { step: done, name: "Sign up another company" },
  { step: resume, name: "Continue this sign-up" },
  { step: openForm, name: "Finish it" },
  { step: { ...openForm, draft: {} }, name: "go back to the card" },
  { step: waiting, name: "Check now" },
])("a control that waits for the site has a spinner, is announced, and has lent its focus: $name", async (waited) => {
  const { site, container } = await open(waited.step, { at: `${PATH}?resume=x` });
  Object.assign(site, { step: "never", reply: "never" });
  const control = [...container.querySelectorAll<HTMLElement>("a, button")].find(
    (one) => one.textContent === waited.name,
  );
  // By it the page's title knows the button.
  if (control instanceof HTMLButtonElement) expect(new URL(control.form?.action ?? "").search).not.toBe("");
  control?.focus();
  await act(async () => control?.click());
  expect(control?.querySelector("svg.animate-spin"), "spinner").not.toBeNull();
  expect(container.querySelector("[role=status]")?.textContent).toBe("Loading…");
  expect(document.activeElement?.id).toBe("focus-keeper");
  await pass(30_000);
  expect(container.querySelector("svg.animate-spin"), "spinner afterward").toBeNull();
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

test("while a card's outcome is awaited, nothing else begins on its page, even in a browser without inert", async () => {
  const at = `${PATH}?return=a-token`;
  const resumeLink = { url: `https://site.example${PATH}?resume=x`, qrCodePath: undefined };
  const { container, site, follow, press, place } = await open({ ...cardStep, resumeLink }, { at });
  site.step = openForm;
  for (const link of ["Edit details", "Choose another plan"]) await follow(link);
  await press("Start over");
  expect(place()).toBe(at);
  const off = [...container.querySelectorAll("[inert][aria-disabled=true]")].map(({ textContent }) => textContent);
  expect(off).toEqual([
    expect.stringMatching(/^Change plan/),
    "Edit details",
    expect.stringMatching(/^Continue on another device.*Start over$/),
  ]);
});

test("the card step shows the latest failure until it is over; Try again leaves the focus at the fields", async () => {
  const { site, container, follow, comeBack, press, notice } = await open(declined);
  expect(notice()).toContain("Payment FailedInsufficient funds");
  await follow("Edit details");
  await tryThrice();
  expect(notice()).toContain("We could not reach the site");
  await pass(LOADING_LIMIT_MS);
  expect(notice()).toContain("The payment form could not be loaded");
  site.step = cardStep;
  await comeBack();
  expect(notice(), "after an earlier failure is over").toContain("The payment form could not be loaded");
  await press("Try again");
  expect(notice(), "after the latest one is over").toBe("");
  expect(document.activeElement).toBe(container.querySelector("section[aria-labelledby=card-entry]"));
});

test("a link that could not be copied says so, and can be copied again", async () => {
  const writeText = vi.fn().mockRejectedValueOnce(new Error("denied")).mockResolvedValue(undefined);
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const resumeLink = { url: `https://site.example${PATH}?resume=x`, qrCodePath: undefined };
  const { press, text } = await open({ ...cardStep, resumeLink });
  await press("Copy link");
  await press("Not copied: use the link above");
  expect(text()).toContain("Copied");
});
