import fc from "fast-check";
import { expect, vi } from "vitest";
import { fastRows } from "../fast-api/rows";
import type { Fault } from "../faults/faulty-proxy";
import { fields } from "../visitors/site-visitor";
import { enterCard } from "../visitors/visitor";
import type { SignUp } from "./model";
import { expectPage, keepPage, type Model, type ModelTab, openIn, pathOf, type World } from "./world";

const WITHIN = { timeout: 15_000, interval: 5 };

type Step = fc.AsyncCommand<Model, World>;

const deviceOf = (tab: number) => Math.floor(tab / 2);

function at<T>(list: T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`There is no item ${index}`);
  return item;
}

/** Opens a tab's plan and compares the page. */
async function look(model: Model, world: World, tab: number, isStripeUp = true): Promise<void> {
  const shown = at(model.tabs, tab);
  const answer = await openIn(world, deviceOf(tab), pathOf(shown.plan));
  shown.page = at(model.devices, deviceOf(tab)).open(shown.plan, isStripeUp);
  shown.form = model.forms += 1;
  keepPage(world, tab, answer);
  expect(answer.status).toBe(200);
  await expectPage(world, shown.plan, answer, shown.page);
}

export const STEP_KINDS = [
  ...["open", "reload", "send the form", "send the last form again", "enter a card", "press edit", "press start-over"],
  ...["press extend", "open the link on the other device", "lose the cookie", "wait 1 h", "wait 2 h", "wait 24 h"],
];

/** How often each kind of step was taken. */
export const taken = new Map<string, number>();

/** Each device begins with a form. */
export async function opened(model: Model, world: World): Promise<void> {
  for (const tab of [0, 2]) await look(model, world, tab);
}

const any = () => true;
const isOpen = ({ page }: ModelTab) => page !== undefined;
const isForm = ({ page }: ModelTab) => page?.kind === "form";
const isCard = ({ page }: ModelTab) => page?.kind === "card";
const hasLink = ({ page }: ModelTab) => page?.kind === "card" && page.hasLink;
const hasSent = ({ sent }: ModelTab) => sent !== undefined;

/**
 * A step in one of the tabs that fit: the `pick`th of them, counted in a circle, so that nearly every step
 * can be taken.
 */
function step(
  name: string,
  pick: number,
  fits: (tab: ModelTab) => boolean,
  run: (tab: number, model: Model, world: World) => Promise<void>,
): Step {
  const fitting = ({ tabs }: Model) => [...tabs.keys()].filter((tab) => fits(at(tabs, tab)));
  let where = "";
  return {
    check: (model) => fitting(model).length > 0,
    run: async (model, world) => {
      const candidates = fitting(model);
      const tab = at(candidates, pick % candidates.length);
      where = ` [tab ${tab}]`;
      await run(tab, model, world);
      const kind = name.replace(/[:].*| plan .*/, "");
      taken.set(kind, (taken.get(kind) ?? 0) + 1);
    },
    toString: () => name + where,
  };
}

const pick = fc.nat(11);
const plan = fc.nat(1);

const open = fc.tuple(pick, plan).map(([nth, plan]) =>
  step(`open plan ${plan}`, nth, any, async (tab, model, world) => {
    at(model.tabs, tab).plan = plan;
    await look(model, world, tab);
  }),
);

const reload = pick.map((nth) => step("reload", nth, isOpen, (tab, model, world) => look(model, world, tab)));

async function send(model: Model, world: World, tab: number, fault?: Fault): Promise<void> {
  const shown = at(model.tabs, tab);
  const device = at(model.devices, deviceOf(tab));
  const { session } = device;
  if (!shown.sent) return;
  const { key, details } = shown.sent;
  if (fault) world.apiProxy.breakAt("POST /subscription", fault);
  const form = new URLSearchParams(at(world.tabs, tab).sent);
  const answer = await at(world.browsers, deviceOf(tab)).post(form.toString(), pathOf(details.plan));
  world.apiProxy.repair();

  const isOpen = "signUp" in session && !("hours" in session && session.hours <= 0 && session.at !== "form");
  if (isOpen && session.signUp.key === key) {
    expect(answer.status).toBe(303);
    if (session.at === "form") device.session = { ...session, at: "card", hours: Math.min(2, session.hoursOfDay) };
    return look(model, world, tab);
  }
  const taken = fault === "refuse" ? undefined : model.backend.take(key, details, device.replaced);
  if (taken && !fault) {
    expect(answer.status).toBe(303);
    device.begin(taken);
    return look(model, world, tab);
  }
  expect(answer.status).toBe(fault ? 502 : 409);
  expect(answer.text).toContain(fault ? "Connection Failed" : "A subscription with this information already exists.");
  shown.page = { kind: "form", details };
  shown.form = shown.sent.form;
  keepPage(world, tab, answer);
  await expectPage(world, details.plan, answer, shown.page);
}

function fillIn(shown: ModelTab, email: number, company: string) {
  const details = { plan: shown.plan, email, company };
  return { form: shown.form, key: JSON.stringify([shown.form, details]), details };
}

const submit = fc
  .tuple(
    pick,
    fc.constantFrom(0, 0, 0, 1),
    fc.constantFrom("Engines Ltd", "Difference Inc"),
    fc.constantFrom(undefined, undefined, undefined, "refuse", "lose-answer"),
  )
  .map(([nth, email, company, fault]) =>
    step(
      `send the form: e-mail ${email}, ${company}, ${fault ?? "answered"}`,
      nth,
      isForm,
      async (tab, model, world) => {
        const shown = at(model.tabs, tab);
        shown.sent = fillIn(shown, email, company);
        const kept = at(world.tabs, tab);
        kept.sent = {
          ...fields,
          package_id: pathOf(shown.plan).slice("/subscription/".length),
          form_nonce: kept.nonce,
          email: at(world.emails, email),
          company_name: company,
        };
        await send(model, world, tab, fault);
      },
    ),
  );

const sendAgain = pick.map((nth) =>
  step("send the last form again", nth, hasSent, async (tab, model, world) => {
    const shown = at(model.tabs, tab);
    if (!shown.sent) return;
    shown.plan = shown.sent.details.plan;
    await send(model, world, tab);
  }),
);

const press = fc.tuple(pick, fc.constantFrom("edit", "start-over", "extend")).map(([nth, button]) =>
  step(`press ${button}`, nth, isCard, async (tab, model, world) => {
    const { plan } = at(model.tabs, tab);
    const device = at(model.devices, deviceOf(tab));
    const answer = await at(world.browsers, deviceOf(tab)).post(`intent=${button}`, pathOf(plan));
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, pathOf(plan)]);
    if (button === "edit") device.edit();
    if (button === "start-over") device.session = { at: "nothing" };
    if (button === "extend") device.keepLonger();
    await look(model, world, tab);
  }),
);

const card = fc
  .tuple(pick, fc.boolean(), fc.constantFrom("the page", "the bank", "nobody"), fc.boolean())
  .map(([nth, works, teller, isStripeUp]) =>
    step(
      `enter a card: it ${works ? "works" : "is declined"}, told by ${teller}, Stripe ${isStripeUp ? "up" : "down"}`,
      nth,
      isCard,
      async (tab, model, world) => {
        const { plan, page } = at(model.tabs, tab);
        if (page?.kind !== "card") return;
        const { signUp } = page;
        const { secret, returnToken } = at(world.tabs, tab);
        await enterCard(world.stripe.url, secret, works ? undefined : "4000000000000002");
        model.backend.enterCard(signUp, works);
        await trialIsKnown(world, signUp);
        if (teller === "nobody") return;

        const device = at(model.devices, deviceOf(tab));
        if (!isStripeUp) world.stripeProxy.breakAt("GET /v1/setup_intents", "refuse");
        if (teller === "the page") {
          const form = `intent=card-set-up&return_token=${returnToken}`;
          expect((await at(world.browsers, deviceOf(tab)).post(form, pathOf(plan))).status).toBe(303);
          device.finish(signUp, isStripeUp);
        } else {
          const back = `${pathOf(plan)}?return=${returnToken}&setup_intent_client_secret=${secret}&redirect_status=succeeded`;
          const answer = await at(world.browsers, deviceOf(tab)).get(back);
          expect(answer.headers.get("Location")).toBe(pathOf(plan));
          device.returnFromBank(signUp, isStripeUp);
        }
        await look(model, world, tab, isStripeUp);
        world.stripeProxy.repair();
      },
    ),
  );

/** The API learns of a card by Stripe's webhook, a moment later. */
async function trialIsKnown({ api, emails }: World, { email, card }: SignUp): Promise<void> {
  if (card !== "set up") return;
  const trials = "SELECT id FROM sign_ups WHERE email = ? AND stripe_subscription_id IS NOT NULL";
  await vi.waitFor(async () => expect(await fastRows(api, trials, emails[email])).toHaveLength(1), WITHIN);
}

const resume = pick.map((nth) =>
  step("open the link on the other device", nth, hasLink, async (tab, model, world) => {
    const { page } = at(model.tabs, tab);
    const { link } = at(world.tabs, tab);
    if (page?.kind !== "card" || !page.hasLink) return;
    const other = 1 - deviceOf(tab);
    const device = at(model.devices, other);
    const browser = at(world.browsers, other);
    const [path = ""] = link.split("?");
    const { session } = device;
    const isOpen = "hours" in session && (session.hours > 0 || session.at === "form");
    const isSame = isOpen && session.signUp === page.signUp;

    const shown = await browser.get(link);
    if (isSame && session.at !== "form") {
      expect([shown.status, shown.headers.get("Location")]).toEqual([303, path]);
      return;
    }
    expect(shown.text).toContain("This link continues the sign-up of");
    expect(shown.text.includes("another one is in progress")).toBe(isOpen && !isSame);
    const answer = await browser.post("intent=resume", link);
    if (isOpen && !isSame) {
      expect(answer.headers.get("Location")).toBe(link);
    } else if (page.signUp.card === "open") {
      expect(answer.headers.get("Location")).toBe(path);
      device.resume(page.signUp);
    } else {
      expect(answer.status).toBe(409);
      expect(answer.text).toContain(page.signUp.card === "set up" ? "is finished" : "was cancelled");
    }
  }),
);

const loseCookie = pick.map((nth) =>
  step("lose the cookie", nth, any, async (tab, model, world) => {
    at(world.browsers, deviceOf(tab)).setCookie("");
    at(model.devices, deviceOf(tab)).session = { at: "nothing" };
  }),
);

const wait = fc.tuple(pick, fc.constantFrom(1, 2, 24)).map(([nth, hours]) =>
  step(`wait ${hours} h`, nth, isOpen, async (tab, model, world) => {
    const device = at(model.devices, deviceOf(tab));
    if (!("signUp" in device.session)) return;
    await at(world.browsers, deviceOf(tab)).wait(hours * 3_600_000);
    device.wait(hours);
  }),
);

/** Every step that visitors, the network and time can take, in any order. */
export const steps: fc.Arbitrary<Step>[] = [
  ...[submit, submit, submit, card, card, card, press, press],
  ...[open, reload, sendAgain, resume, resume, wait, loseCookie],
];
