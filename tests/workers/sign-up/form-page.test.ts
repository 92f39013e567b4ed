import { afterAll, describe, expect, test } from "vitest";
import { company } from "../../../app/company";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { DUPLICATE_EMAIL } from "../../../app/signup/server/notices.server";
import { PLANS } from "../../support/plans";
import { pageReader, readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { AGREED, LITE, OFFERS, SAVED } from "./form-words";

/* The form as a visitor without a script reads it, empty and with errors. */

const MINI = "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const UNKNOWN = "11111111-2222-4333-8444-555555555555";
const CUSTOM = `/subscription/${UNKNOWN}`;

const CONSOLE_URL = "https://console.test";
const { upstream, visitor, dispose } = await startVisitedSite({ vars: { CONSOLE_URL } });
afterAll(dispose);

const open = pageReader(visitor);
const opened = (path = "/subscription") => open(path);

describe("the form", () => {
  test("says which step it is, and why to sign up", async () => {
    expect((await opened()).wordsOfEach("main > div > div > p")).toEqual([
      "Step 1 of 2: details",
      "Join thousands of businesses improving their visibility in AI search.",
    ]);
  });

  test("is a card with its title and text", async () => {
    const { words } = await opened();
    const card = ".card[aria-labelledby=subscription-information]";
    expect(words(`${card} > h2`)).toBe("Subscription Information");
    expect(words(`${card} > h2 + p`)).toBe(
      "Complete your subscription by providing your contact and billing information.",
    );
    expect(words("form > p.text-sm")).toBe("All fields are required.");
  });

  test("is posted by the button Payment", async () => {
    const { words, each } = await opened();
    expect(each("form#signup", "method")).toEqual(["post"]);
    expect(words("form#signup [type=submit]")).toBe("Payment");
    expect(each("form#signup [type=submit]", "disabled")).toEqual([null]);
  });

  test("links to the terms and the privacy policy at its button", async () => {
    const { words, links } = await opened();
    expect(words(".submit-area p")).toBe("By continuing you accept the Terms and the Privacy Policy.");
    expect(links(".submit-area p a")).toEqual(["Terms: /terms", "Privacy Policy: /privacy"]);
  });
});

const customPlan = {
  action: CUSTOM,
  terms: `Then ${AGREED} after ${TRIAL_DAYS} days unless you cancel.`,
  card: `Custom planThis plan is not on our pricing page. You’ll pay ${AGREED}. ${SAVED}`,
};

describe.each([
  {
    path: MINI,
    action: MINI,
    terms: `Then ${PLANS.MINI.short} a month after ${TRIAL_DAYS} days unless you cancel.`,
    card: `MINI ${PLANS.MINI.short} a month${TRIAL_DAYS}-day free trial, then ${PLANS.MINI.short} a month`,
  },
  {
    path: "/subscription",
    action: "/subscription",
    terms: `Your first ${TRIAL_DAYS} days are free.`,
    card: `The one you choose.Choose one in the form.${SAVED}`,
  },
  { path: `${CUSTOM}?id=other`, ...customPlan },
  { path: `/subscription?uuid=${UNKNOWN}`, ...customPlan },
])("the form at $path", ({ path, action, terms, card }) => {
  test(`posts its plan to ${action}`, async () => {
    const { each } = await opened(path);
    expect(each("form#signup", "action")).toEqual([action]);
    expect(each("[name=package_id]", "value")).toEqual([action.slice("/subscription/".length)]);
  });

  test("has today's and later payments above its button", async () => {
    expect((await opened(path)).words("form p:has(+ button)")).toContain(`: $0 today. ${terms}`);
  });

  test("has its plan beside it, and a way to compare plans that keeps everything typed", async () => {
    const { words, links, each } = await opened(path);
    expect(words("aside h2 + div")).toBe(card);
    expect(links("aside a")).toEqual(["Compare plans (new tab): /pricing"]);
    expect(each("aside a", "target")).toEqual(["_blank"]);
  });

  test("shows no id", async () => {
    expect((await opened(path)).words()).not.toContain(UNKNOWN);
  });
});

describe("the form without a plan", () => {
  test("lets the visitor choose one, or continue without", async () => {
    const { wordsOfEach } = await opened();
    expect(wordsOfEach("fieldset:has([name=plan_choice]) label")).toEqual([
      ...OFFERS,
      "No plan yet: tell support which one you want before your trial ends",
    ]);
  });

  test("selects no plan at first", async () => {
    expect((await opened()).each("[name=plan_choice][checked]", "value")).toEqual([""]);
  });
});

describe("the form of a plan", () => {
  const CHOICES = "aside details [name=plan_choice][form=signup]";

  test("offers the others where it names the plan, whose button is selected", async () => {
    const { each, wordsOfEach } = await opened(MINI);
    expect(wordsOfEach("aside details label")).toEqual(OFFERS);
    expect(each("[name=plan_choice]", "value")).toEqual(each(CHOICES, "value"));
    expect(each(`${CHOICES}[checked]`, "value")).toEqual([`${MINI.slice("/subscription/".length)}:10000`]);
  });

  test("of one that is not on the pricing page offers to keep it", async () => {
    const { each, wordsOfEach } = await opened(CUSTOM);
    expect(wordsOfEach("aside details label")).toEqual([...OFFERS, "Custom plan, at the price you agreed with us"]);
    expect(each(`${CHOICES}[checked]`, "value")).toEqual([`${UNKNOWN}:`]);
  });
});

describe("an invalid plan", () => {
  test("is reported on arrival, with the plans to choose from", async () => {
    const { words, wordsOfEach } = await opened("/subscription/not-a-uuid");
    expect(words("#choose-plan-error")).toBe("Invalid subscription ID");
    expect(wordsOfEach("fieldset[aria-describedby=choose-plan-error] label")).toEqual(OFFERS);
  });

  test("selects no other plan for the visitor", async () => {
    expect((await opened("/subscription/not-a-uuid")).each("[name=plan_choice][checked]", "value")).toEqual([]);
  });

  test("is not an error before the form is sent", async () => {
    expect((await opened("/subscription?id=not-a-uuid")).words("[aria-labelledby=error-summary]")).toBe("");
  });

  test("is in the summary of a refused form, which leads to the plans", async () => {
    const { links, each } = readPage(await visitor.submit({ package_id: "not-a-uuid" }));
    expect(links("[aria-labelledby=error-summary] a")).toEqual(["Invalid subscription ID: #choose-plan"]);
    expect(each("#choose-plan", "name")).toEqual(["plan_choice"]);
  });
});

describe("a duplicate", () => {
  async function duplicate() {
    upstream.answersJson(409, {});
    return readPage(await visitor.submit());
  }

  test("is reported in a focused notice, with what to do", async () => {
    const page = await duplicate();
    expect(page).toHaveStatus(409);
    expect(page).toShowNotice("Submission Failed");
    expect(page.words("[autofocus]")).toContain("Submission Failed");
    expect(page.links("[role=alert] a")).toEqual([
      `Log in to the Customer Console: ${CONSOLE_URL}`,
      `Contact Support: mailto:${company.supportEmail}`,
    ]);
  });

  test("is reported at the email address", async () => {
    const { wordsOfEach, each } = await duplicate();
    expect(wordsOfEach("#signup-email-error li")).toEqual([DUPLICATE_EMAIL]);
    expect(each("[aria-invalid]", "name")).toEqual(["email"]);
  });
});

describe("a 422 that names no field", () => {
  test("has the catalog's message, and offers the plans in place of one that is not on the price list", async () => {
    upstream.answersJson(422, {});
    const page = readPage(await visitor.submit({ package_id: UNKNOWN }));
    expect(page).toShowNotice("Submission Failed", "Invalid subscription information. Please check your details.");
    expect(page.words("#choose-plan-error")).toBe("This plan is not on our price list");
  });

  test("asks for no other plan if the plan is on the price list", async () => {
    upstream.answersJson(422, {});
    const page = readPage(await visitor.submit({ package_id: LITE.id }, {}, `/subscription/${LITE.id}`));
    expect(page.each("form [name=plan_choice]", "value")).toEqual([]);
  });
});
