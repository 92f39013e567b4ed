import { describe, expect, test } from "vitest";
import { findPlan } from "../../../app/pricing/plans/plan-list";
import type { SignupStep } from "../../../app/signup/steps";
import { stopClock } from "../../support/clock";
import { fields, typed } from "../../support/person";
import { look, post } from "../../support/site-in-process/site-context";
import { PLAN } from "../../support/site-in-process/site-settings";
import { siteWithApi } from "../../support/site-in-process/site-with-api";

/* The site with its API: each page of a sign-up shows the price that Stripe charges. All prices are cents. */

stopClock();

const EMAIL = "ada@example.com";

/** A visitor's browser, on a site and an API whose prices of one plan a company changes. */
function visits() {
  const { site, api, catalog, enterCard, chargesOf, listPrice, loseAnswers } = siteWithApi();
  let session: Awaited<ReturnType<typeof post>>["session"];
  const kept = () => (typeof session === "object" && "key" in session ? session : undefined);
  return {
    loseAnswers,
    setListPrice: (cents: number) => listPrice(PLAN, cents),
    setApiPrice: (cents: number) => catalog({ packages: [{ id: PLAN, name: "STANDARD", price_cents: cents }] }),
    /** Sends the form of a page that shows a price. */
    async send(shownCents: number, more: object = {}) {
      const answer = await post(site, { ...fields, ...more, price_cents: String(shownCents) }, { session: kept() });
      if (answer.session) session = answer.session;
      return answer;
    },
    forgetSession() {
      session = undefined;
    },
    /** The price on the sign-up's page. */
    async shown(): Promise<number | null | undefined> {
      const { step, session: changed } = await look(site, { session: kept(), path: "/subscription" });
      if (changed) session = changed;
      return shownOn(step);
    },
    /** The price on the page of another device that continued the sign-up by its link. */
    async onOtherDevice() {
      const current = kept();
      if (current?.state !== "card") throw new Error("There is no card step");
      const path = `/subscription/${current.packageId}?resume=${await site.resumeLinks.toToken(current)}`;
      const { session: there } = await post(site, { intent: "resume" }, { path });
      if (typeof there !== "object" || !("key" in there)) throw new Error("The link did not work");
      return async () => shownOn((await look(site, { session: there })).step);
    },
    /** The form of a plan's link. */
    async form(packageId: string) {
      const { step } = await look(site, { path: `/subscription/${packageId}` });
      return step?.step === "form" ? step : undefined;
    },
    catalog,
    /** Enters a card at Stripe. The next page is the one that the bank returns to. */
    async pay() {
      const current = kept();
      if (current?.state !== "card") throw new Error("There is no card step");
      await enterCard(current.clientSecret);
      session = { ...current, state: "waiting", reason: "processing" };
      await api.settled();
    },
    charged: () => chargesOf(EMAIL),
  };
}

function shownOn(step: SignupStep | undefined): number | null | undefined {
  if (step === undefined || !("agreedPriceCents" in step)) return undefined;
  return findPlan(step.packageId, step.agreedPriceCents)?.shownPriceCents;
}

test("a form of the release before, whose higher price the API still has, shows what Stripe charges", async () => {
  const { setApiPrice, send, shown, pay, charged } = visits();
  await setApiPrice(60_000);
  await send(60_000);
  const onCardStep = await shown();
  await pay();
  expect([onCardStep, await shown(), charged()]).toEqual([60_000, 60_000, [60_000]]);
});

test("a trial's form that is sent again from a page with a lower price shows what Stripe charges", async () => {
  const { setListPrice, setApiPrice, send, shown, pay, forgetSession, charged } = visits();
  await send(50_000);
  await pay();
  forgetSession();
  setListPrice(40_000);
  await setApiPrice(40_000);
  await send(40_000);
  expect([await shown(), charged()]).toEqual([50_000, [50_000]]);
});

test("a form whose answer was lost before the price was raised shows what Stripe charges", async () => {
  const { setListPrice, setApiPrice, send, shown, pay, loseAnswers, charged } = visits();
  setListPrice(40_000);
  await setApiPrice(40_000);
  loseAnswers(true);
  await send(40_000);
  loseAnswers(false);
  setListPrice(50_000);
  await setApiPrice(50_000);
  await send(50_000);
  const onCardStep = await shown();
  await pay();
  expect([onCardStep, await shown(), charged()]).toEqual([40_000, 40_000, [40_000]]);
});

test("a form that is sent again from a page with a lower price gets that price, although its sign-up is known", async () => {
  const { setListPrice, setApiPrice, send, shown, pay, charged } = visits();
  await send(50_000);
  setListPrice(40_000);
  await setApiPrice(40_000);
  await send(40_000);
  const onCardStep = await shown();
  await pay();
  expect([onCardStep, await shown(), charged()]).toEqual([40_000, 40_000, [40_000]]);
});

test("a form that is sent again from a page with a lower price changes the price on the other device too", async () => {
  const { setListPrice, setApiPrice, send, onOtherDevice } = visits();
  await send(50_000);
  const shownThere = await onOtherDevice();
  const before = await shownThere();
  setListPrice(40_000);
  await setApiPrice(40_000);
  await send(40_000);
  expect([before, await shownThere()]).toEqual([50_000, 40_000]);
});

describe("a plan that is not on the price list", () => {
  const TEAM = { id: "11111111-2222-4333-8444-555555555555", name: "TEAM", price_cents: 77_700, status: "custom" };
  const sent = { package_id: TEAM.id };

  test("shows its price from the API on each page, and Stripe charges it", async () => {
    const { catalog, form, send, shown, pay, charged } = visits();
    await catalog({ packages: [TEAM] });
    const onForm = (await form(TEAM.id))?.currentPriceCents;
    await send(77_700, sent);
    const onCardStep = await shown();
    await pay();
    expect([onForm, onCardStep, await shown(), charged()]).toEqual([77_700, 77_700, 77_700, [77_700]]);
  });

  test("comes back with its price from the API if it costs more than the form showed", async () => {
    const { catalog, send } = visits();
    await catalog({ packages: [TEAM] });
    const answer = await send(70_000, sent);
    expect(answer).toShowNotice("The price of this plan has changed", "Check the new price.");
    expect(answer.reply).toMatchObject({ currentPriceCents: 77_700 });
  });

  test.each([
    { what: "that was retired", retired: [TEAM.id], planProblem: "This plan is no longer available" },
    { what: "that the API does not know", retired: undefined, planProblem: "This plan is not available" },
  ])(
    "$what offers other plans before and after the form, which keeps what was typed",
    async ({ retired, planProblem }) => {
      const { catalog, form, send } = visits();
      if (retired) {
        await catalog({ packages: [TEAM] });
        await catalog({ retired });
      }
      expect(await form(TEAM.id)).toMatchObject({ planProblem });
      const answer = await send(77_700, sent);
      expect(answer).toHaveStatus(422);
      expect(answer.reply).toMatchObject({ planProblem, form: { initialValue: { ...typed, package_id: TEAM.id } } });
    },
  );
});
