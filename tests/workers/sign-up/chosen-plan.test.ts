import { afterAll, describe, expect, test } from "vitest";
import { TRIAL_DAYS } from "../../../app/contract/trial";
import { PLANS } from "../../support/plans";
import { readPage } from "../../support/visitors/page";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { AGREED, LITE, OFFERS, SAVED } from "./form-words";

/* A plan that the API does not sell, and a plan that the visitor chooses in the form. */

const UNKNOWN = "11111111-2222-4333-8444-555555555555";
const CUSTOM = `/subscription/${UNKNOWN}`;

const CONSOLE_URL = "https://console.test";
const { upstream, visitor, dispose } = await startVisitedSite({ vars: { CONSOLE_URL } });
afterAll(dispose);

describe("a plan that the API refuses by name", () => {
  async function refused(plan = UNKNOWN) {
    const body = JSON.stringify({ title: "Some fields are not valid", errors: { package_id: ["No such package"] } });
    upstream.answers((response) => response.writeHead(422, { "Content-Type": "application/problem+json" }).end(body));
    return readPage(await visitor.submit({ package_id: plan }, {}, `/subscription/${plan}`));
  }

  test("is reported in the summary, which links to the choice of plans", async () => {
    expect((await refused()).links("[aria-labelledby=error-summary] a")).toEqual([
      "This plan is not available: #choose-plan",
    ]);
  });

  test("is replaced by the plans to choose from", async () => {
    const { words, wordsOfEach } = await refused();
    expect(words("#choose-plan-error")).toBe("This plan is not available");
    expect(wordsOfEach("fieldset[aria-describedby=choose-plan-error] label")).toEqual(OFFERS);
  });

  test("is not among them", async () => {
    const { wordsOfEach } = await refused(LITE.id);
    expect(wordsOfEach("fieldset[aria-describedby=choose-plan-error] label")).toEqual([OFFERS[0], OFFERS[2]]);
  });

  test("has no price beside the form or above its button", async () => {
    const { words } = await refused();
    expect(words("aside h2 + div")).toBe(`The one you choose.Choose one in the form.${SAVED}`);
    expect(words(".step-trial")).not.toContain(AGREED);
    expect(words("form p:has(+ button)")).toBe(
      `Your trial until you choose a plan: $0 today. Your first ${TRIAL_DAYS} days are free.`,
    );
  });
});

describe("a plan that the visitor chooses in the form", () => {
  const choose = (change: Record<string, string> = {}) =>
    visitor.submit({ package_id: UNKNOWN, plan_choice: LITE.offer, ...change }, {}, CUSTOM);

  test("is the sign-up's, with the price beside it", async () => {
    upstream.answersJson(201, { client_secret: "seti_1_secret_1" });
    expect(await choose()).toRedirectTo(`/subscription/${LITE.id}`);
    const [call] = upstream.calls;
    expect(JSON.parse(call?.body ?? "")).toMatchObject({ package_id: LITE.id });
    expect(call?.headers).toMatchObject({ "subscription-price-cents": String(PLANS.LITE.priceCents) });
  });

  test("stays chosen in a form that comes back", async () => {
    const { each, words } = readPage(await choose({ zipCode: "0" }));
    expect(each("[name=package_id]", "value")).toEqual([LITE.id]);
    expect(words("form p:has(+ button)")).toBe(
      `Your trial with LITE: $0 today. Then ${PLANS.LITE.short} a month after ${TRIAL_DAYS} days unless you cancel.`,
    );
  });

  test("has to be a plan", async () => {
    const { links } = readPage(await choose({ plan_choice: "LITE" }));
    expect(links("[aria-labelledby=error-summary] a")).toEqual(["Invalid subscription ID: #choose-plan"]);
  });
});

describe("what the page says while no script has run stays true when the visitor selects another plan:", () => {
  const form = async () => readPage(await visitor.get(`/subscription/${LITE.id}`));

  test("the terms above the button name their plan", async () => {
    expect((await form()).wordsOfEach("form > p.font-semibold")).toEqual([
      `If you select another plan: $0 today. Then its price every month, starting after ${TRIAL_DAYS} days, unless you cancel.`,
      `Your trial with LITE: $0 today. Then ${PLANS.LITE.short} a month after ${TRIAL_DAYS} days unless you cancel.`,
    ]);
  });

  test("the trial names its plan", async () => {
    expect((await form()).words("#trial")).toBe("How the trial works with LITE");
  });

  test("the choice says that it decides", async () => {
    expect((await form()).words("aside details")).toContain(
      "If you select another plan here, you sign up for that one.",
    );
  });
});

test("the choice of no plan replaces the plan of the link", async () => {
  upstream.answersJson(201, { client_secret: "seti_1_secret_1" });
  await visitor.submit({ package_id: "not-a-uuid", plan_choice: "" });
  expect(JSON.parse(upstream.calls[0]?.body ?? "")).not.toHaveProperty("package_id");
});
