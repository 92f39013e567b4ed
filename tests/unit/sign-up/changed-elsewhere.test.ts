// @vitest-environment jsdom
import { describe, expect, test } from "vitest";
import { SIGNUP_FINISHED } from "../../../app/signup/server/notices.server";
import type { SignupStep } from "../../../app/signup/steps";
import { PLAN } from "../../support/site-in-process/site-settings";
import { done, form, LOST, openForm, pagesWithServer, tryThrice } from "./page-with-server";
import { cardStep } from "./rendered-page";

/* A page whose notice or step is no longer true. */

const open = pagesWithServer();

describe("a tab that the visitor comes back to", () => {
  test("shows a step that has changed elsewhere", async () => {
    const { site, comeBack, text } = await open(cardStep);
    site.step = done;
    await comeBack();
    expect(text()).toContain("Subscription Successful!");
  });

  test("says nothing if the site cannot be reached", async () => {
    const { comeBack, notice, text } = await open(cardStep);
    await comeBack();
    await tryThrice();
    expect(notice()).toBe("");
    expect(text()).toContain("Please enter your card info");
  });

  test("says so if the next link is not reached", async () => {
    const { site, comeBack, follow, notice } = await open(cardStep);
    site.step = cardStep;
    await comeBack();
    site.step = LOST;
    await follow("Edit details");
    await tryThrice();
    expect(notice()).toContain("We could not reach the site");
  });

  test("keeps a notice whose cause is still there", async () => {
    const declined: SignupStep = { ...cardStep, flash: "declined", message: "Insufficient funds" };
    const { site, comeBack, notice } = await open(declined);
    site.step = cardStep;
    await comeBack();
    expect(notice()).toContain("Insufficient funds");
  });

  test("no longer offers a sign-up that is finished, and keeps what was typed and the reply", async () => {
    const reply = { form: { initialValue: { package_id: PLAN } }, notice: SIGNUP_FINISHED };
    const { site, comeBack, text, field, notice } = await open(openForm, { reply });
    Object.assign(field("city") ?? {}, { value: "Springfield" });
    expect(text()).toContain("still needs a card");
    site.step = done;
    await comeBack();
    expect(text()).not.toContain("still needs a card");
    expect(field("city")?.value).toBe("Springfield");
    expect(notice()).toContain("This sign-up is finished");
  });

  test("offers a sign-up that was begun elsewhere, and keeps what was typed", async () => {
    const { site, comeBack, text, field } = await open(form);
    Object.assign(field("city") ?? {}, { value: "Springfield" });
    site.step = cardStep;
    await comeBack();
    expect(text()).toContain("Your STANDARD sign-up still needs a card");
    expect(field("city")?.value).toBe("Springfield");
  });
});

test("a submit that the browser refuses takes the last one's notice away", async () => {
  const reply = { form: { initialValue: { package_id: PLAN } }, notice: SIGNUP_FINISHED };
  const { press, notice, text } = await open(form, { reply });
  expect(notice()).toContain("This sign-up is finished");
  await press("Payment");
  expect(text()).toContain("Phone number is required");
  expect(notice()).toBe("");
});
