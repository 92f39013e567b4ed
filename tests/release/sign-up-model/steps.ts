import { expect } from "@playwright/test";
import fc from "fast-check";
import { fields } from "../../support/visitors/site-visitor";
import type { BrowserDriver } from "./browser-driver";
import type { HttpDriver } from "./http-driver";
import type { Page, SignUp } from "./model";
import { expectPage, shownBy } from "./page";
import { fastRows } from "./rows-over-http";
import { DECLINED, deviceOf, type Model, type ModelTab, pathOf, WORKS, type World } from "./world";

export type Step = fc.AsyncCommand<Model, World>;
type Run = (tab: number, model: Model, world: World) => Promise<void>;

export function at<T>(list: T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`There is no item ${index}`);
  return item;
}

/** The page that is to be in a tab now. A script's page may still be on its way there. */
async function shows(model: Model, world: World, tab: number, page: Page): Promise<void> {
  const shown = at(model.tabs, tab);
  shown.page = page;
  shown.form = model.forms += 1;
  const look = async () => expectPage(world, shown.plan, await world.driver.html(tab), page);
  if (!world.driver.runsScripts) return look();
  await expect(look).toPass({ timeout: 20_000, intervals: [50] });
  await world.driver.settles(tab);
}

/** The page of the tab's plan, as it is to be after it was opened or led to. */
async function arrives(model: Model, world: World, tab: number, isStripeUp = true): Promise<void> {
  const { plan } = at(model.tabs, tab);
  const device = at(model.devices, deviceOf(tab));
  let page = device.open(plan, isStripeUp);
  if (world.driver.runsScripts && page.kind === "card" && page.signUp.card !== "open") {
    device.finish(page.signUp, isStripeUp);
    page = device.open(plan, isStripeUp);
  }
  await shows(model, world, tab, page);
}

/** Each device begins with a form. */
export async function opened(model: Model, world: World): Promise<void> {
  for (const tab of [0, 2]) {
    await world.driver.open(tab, pathOf(0));
    await arrives(model, world, tab);
  }
}

const any = () => true;
const isOpen = ({ page }: ModelTab) => page !== undefined && page.kind !== "resume" && !page.returned;
const isForm = ({ page }: ModelTab) => page?.kind === "form";
const isCard = ({ page }: ModelTab) => page?.kind === "card";
const hasLink = ({ page }: ModelTab) => page?.kind === "card" && page.hasLink;
const hasOther = ({ page }: ModelTab) => page?.other !== undefined;

/** A step in one of the tabs that fit: the `pick`th of them, counted in a circle, so that nearly every step can be taken. */
function step(name: string, pick: number, fits: (tab: ModelTab) => boolean, run: Run): Step {
  const fitting = ({ tabs }: Model) => [...tabs.keys()].filter((tab) => fits(at(tabs, tab)));
  let where = "";
  return {
    check: (model) => fitting(model).length > 0,
    run: async (model, world) => {
      const candidates = fitting(model);
      const tab = at(candidates, pick % candidates.length);
      where = ` [tab ${tab}]`;
      await run(tab, model, world);
    },
    toString: () => name + where,
  };
}

const pick = fc.nat(11);
const plan = fc.nat(1);

const open = fc.tuple(pick, plan).map(([nth, plan]) =>
  step(`open plan ${plan}`, nth, any, async (tab, model, world) => {
    at(model.tabs, tab).plan = plan;
    await world.driver.open(tab, pathOf(plan));
    await arrives(model, world, tab);
  }),
);

const reload = pick.map((nth) =>
  step("reload", nth, isOpen, async (tab, model, world) => {
    const shown = at(model.tabs, tab);
    const { form, page } = shown;
    await world.driver.reload(tab);
    const isDraft = page?.kind === "form" && page.notice === "blocked";
    if (!isDraft || at(model.devices, deviceOf(tab)).session.at !== "nothing") return arrives(model, world, tab);
    await shows(model, world, tab, page);
    shown.form = form;
  }),
);

type Fault = "refuse" | "lose-answer" | undefined;

/** What becomes of a form that was just sent. */
async function sent(model: Model, world: World, tab: number, fault: Fault): Promise<void> {
  const shown = at(model.tabs, tab);
  const device = at(model.devices, deviceOf(tab));
  if (!shown.sent) return;
  const { key, form, madeFrom, ...details } = shown.sent;
  if (device.returnsTo(key, madeFrom)) return arrives(model, world, tab);
  const { replaced, beside } = device.earlier(details.email, madeFrom);
  const taken = fault === "refuse" ? undefined : model.backend.take(key, details, replaced?.signUp);
  if (taken && !fault && device.keepsCookies) {
    device.begin(taken, beside);
    return arrives(model, world, tab);
  }
  const notice = fault ? "unreachable" : taken ? "blocked" : "taken";
  const left = device.holds(madeFrom) ? madeFrom : undefined;
  // A script leaves what stands beside the form.
  const before = world.driver.runsScripts && notice !== "blocked" && shown.page?.kind === "form" ? shown.page : {};
  await shows(model, world, tab, { madeFrom: left, ...before, kind: "form", details, notice });
  // An email address that was refused can be tried anew; else the form stays the same one.
  if (notice !== "taken") shown.form = form;
}

const FAULTS: Fault[] = [undefined, undefined, undefined, undefined, "refuse", "lose-answer"];

const send = fc
  .tuple(pick, fc.constantFrom(0, 0, 1), fc.constantFrom("Engines Ltd", "Difference Inc"), fc.constantFrom(...FAULTS))
  .map(([nth, email, company, fault]) =>
    step(
      `send the form: email ${email}, ${company}, ${fault ?? "answered"}`,
      nth,
      isForm,
      async (tab, model, world) => {
        const shown = at(model.tabs, tab);
        if (shown.page?.kind !== "form") return;
        const { form, plan, page } = shown;
        const key = JSON.stringify([form, plan, email, company]);
        shown.sent = { key, form, plan, email, company, madeFrom: page.madeFrom };
        if (fault) world.apiProxy.breakAt("POST /subscription", fault);
        await world.driver.send(tab, { ...typed, email: at(world.emails, email), company_name: company });
        await sent(model, world, tab, fault);
        world.apiProxy.repair();
      },
    ),
  );

const { package_id: _, ...typed } = fields;

const press = fc.tuple(pick, fc.constantFrom("Edit details", "Start over")).map(([nth, button]) =>
  step(`press ${button}`, nth, isCard, async (tab, model, world) => {
    const { page } = at(model.tabs, tab);
    if (page?.kind !== "card") return;
    await world.driver.press(tab, button);
    const device = at(model.devices, deviceOf(tab));
    if (button === "Edit details") device.edit(page.signUp);
    else device.startOver(page.signUp);
    await arrives(model, world, tab);
  }),
);

const switchTo = pick.map((nth) =>
  step("continue with the other sign-up", nth, hasOther, async (tab, model, world) => {
    const shown = at(model.tabs, tab);
    const other = shown.page?.other;
    if (!other) return;
    await world.driver.press(tab, `Continue with ${other.company}`);
    shown.plan = at(model.devices, deviceOf(tab)).switchTo(other) ?? shown.plan;
    await arrives(model, world, tab);
  }),
);

/** The API learns of a card by Stripe's webhook, a moment later. */
async function trialIsKnown({ api, emails }: World, { email, hasTrial }: SignUp): Promise<void> {
  if (!hasTrial) return;
  const trials = "SELECT id FROM sign_ups WHERE email = ? AND stripe_subscription_id IS NOT NULL";
  await expect.poll(async () => (await fastRows(api, trials, emails[email])).length, POLL).toBe(1);
}

const POLL = { timeout: 15_000, intervals: [5] };

const card = fc
  .tuple(pick, fc.constantFrom(WORKS, WORKS, DECLINED), fc.constantFrom(1, 5), fc.boolean())
  .map(([nth, number, declines, isStripeUp]) => {
    const times = number === WORKS ? 1 : declines;
    const name = number === WORKS ? "that works" : `that is declined, ${times} times`;
    return step(
      `enter a card ${name}, Stripe ${isStripeUp ? "up" : "down"}`,
      nth,
      isCard,
      async (tab, model, world) => {
        const { page } = at(model.tabs, tab);
        if (page?.kind !== "card") return;
        const { signUp } = page;
        for (let nth = 0; nth < times; nth += 1) model.backend.enterCard(signUp, number === WORKS);
        if (!isStripeUp) world.stripeProxy.breakAt("GET /v1/setup_intents", "refuse");
        await world.driver.pay(tab, number, times, () => trialIsKnown(world, signUp));
        if (signUp.card === "open") {
          const news = world.driver.runsScripts ? ("failed" as const) : page.news;
          await shows(model, world, tab, { ...page, news });
        } else {
          at(model.devices, deviceOf(tab)).finish(signUp, isStripeUp);
          await arrives(model, world, tab, isStripeUp);
        }
        world.stripeProxy.repair();
        if (!world.driver.runsScripts || at(model.tabs, tab).page?.kind !== "waiting") return;
        // It looks again by itself: not in the midst of another step.
        await world.driver.follow(tab, "Check now");
        await arrives(model, world, tab);
      },
    );
  });

const resume = fc.tuple(pick, fc.boolean()).map(([nth, goesOn]) =>
  step(`open the link on the other device${goesOn ? " and continue" : ""}`, nth, hasLink, async (tab, model, world) => {
    const { page } = at(model.tabs, tab);
    if (page?.kind !== "card") return;
    const { signUp } = page;
    const link = shownBy(await world.driver.html(tab))
      .document.querySelector("main details a")
      ?.getAttribute("href");
    const there = 2 * (1 - deviceOf(tab)) + (nth % 2);
    const device = at(model.devices, deviceOf(there));
    at(model.tabs, there).plan = signUp.plan;
    const { pathname, search } = new URL(link ?? "");
    await world.driver.open(there, pathname + search);
    const state = device.stateOfLink(signUp);
    if (state === undefined) return arrives(model, world, there);
    await shows(model, world, there, { kind: "resume", signUp, state });
    if (!goesOn || state !== "ready") return;
    await world.driver.press(there, "Continue this sign-up");
    if (signUp.card === "open") {
      device.resume(signUp);
      await arrives(model, world, there);
    } else {
      const notice = signUp.card === "set up" ? "finished" : "canceled";
      await shows(model, world, there, { kind: "resume", signUp, state, notice });
    }
  }),
);

const cookies = fc.tuple(pick, fc.constantFrom("lose", "block", "allow")).map(([nth, what]) =>
  step(`${what} cookies`, nth, any, async (tab, model, world) => {
    const device = at(model.devices, deviceOf(tab));
    if (what !== "allow") {
      device.session = { at: "nothing" };
      await world.driver.loseCookies(deviceOf(tab));
    }
    if (what !== "lose") device.keepsCookies = what === "allow";
    await world.driver.keepCookies(deviceOf(tab), device.keepsCookies);
  }),
);

/** Every step that visitors and the network can take, in any order. */
const steps: fc.Arbitrary<Step>[] = [
  ...[send, send, send, send, card, card, card, press, press, switchTo, switchTo],
  ...[open, open, reload, resume, cookies],
];

/** What is only between two pages of a real browser, or takes hours there. */
export function stepsOverHttp(driverOf: () => HttpDriver): fc.Arbitrary<Step>[] {
  const sendAgain = pick.map((nth) =>
    step(
      "send the last form again",
      nth,
      ({ sent }) => sent !== undefined,
      async (tab, model, world) => {
        const shown = at(model.tabs, tab);
        if (!shown.sent) return;
        shown.plan = shown.sent.plan;
        await driverOf().sendAgain(tab, pathOf(shown.plan));
        await sent(model, world, tab, undefined);
      },
    ),
  );
  const keep = pick.map((nth) =>
    step("press Keep for 2 more hours", nth, isCard, async (tab, model, world) => {
      const { page } = at(model.tabs, tab);
      if (page?.kind !== "card") return;
      await world.driver.press(tab, "Keep for 2 more hours");
      at(model.devices, deviceOf(tab)).keepLonger(page.signUp);
      await arrives(model, world, tab);
    }),
  );
  const bank = fc.tuple(pick, fc.boolean(), fc.boolean(), fc.boolean()).map(([nth, works, isBack, isStripeUp]) =>
    step(
      `enter a card that ${works ? "works" : "is declined"}, ${isBack ? "at the bank" : "and leave"}, Stripe ${isStripeUp ? "up" : "down"}`,
      nth,
      isCard,
      async (tab, model, world) => {
        const { page } = at(model.tabs, tab);
        if (page?.kind !== "card") return;
        const driver = driverOf();
        await driver.enterCard(tab, works ? WORKS : DECLINED, 1);
        model.backend.enterCard(page.signUp, works);
        await trialIsKnown(world, page.signUp);
        if (!isBack) return;
        if (!isStripeUp) world.stripeProxy.breakAt("GET /v1/setup_intents", "refuse");
        await driver.returnFromBank(tab);
        const shown = at(model.devices, deviceOf(tab)).returnFromBank(page.signUp, isStripeUp);
        await (shown ? shows(model, world, tab, shown) : arrives(model, world, tab, isStripeUp));
        world.stripeProxy.repair();
      },
    ),
  );
  const wait = fc.tuple(pick, fc.constantFrom(1, 2, 24)).map(([nth, hours]) =>
    step(`wait ${hours} h`, nth, isOpen, async (tab, model) => {
      const device = at(model.devices, deviceOf(tab));
      if (!("signUp" in device.session)) return;
      await driverOf().wait(deviceOf(tab), hours);
      device.wait(hours);
    }),
  );
  return [...steps, bank, bank, sendAgain, keep, wait];
}

/** What only a script, or the browser around it, does. */
export function stepsInBrowser(driverOf: () => BrowserDriver): fc.Arbitrary<Step>[] {
  const back = pick.map((nth) =>
    step("go back", nth, isOpen, async (tab, model, world) => {
      const path = await driverOf().back(tab);
      at(model.tabs, tab).plan = path === pathOf(0) ? 0 : 1;
      await arrives(model, world, tab);
    }),
  );
  const provider = pick.map((nth) =>
    step("reload while Stripe.js fails, and retry", nth, isCard, async (tab, model, world) => {
      const shown = at(model.tabs, tab);
      await driverOf().provide(tab, false);
      await driverOf().reload(tab);
      const page = at(model.devices, deviceOf(tab)).open(shown.plan, true);
      await shows(model, world, tab, page.kind === "card" ? { ...page, news: "failed" } : page);
      await driverOf().provide(tab, true);
      if (page.kind !== "card") return;
      await driverOf().retry(tab);
      const { signUp } = page;
      if (signUp.card === "open") return shows(model, world, tab, { ...page, news: undefined });
      at(model.devices, deviceOf(tab)).finish(signUp, true);
      await arrives(model, world, tab);
    }),
  );
  return [...steps, back, provider];
}
