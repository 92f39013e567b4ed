// @vitest-environment jsdom
import { act, createElement } from "react";
import { createRoot } from "react-dom/client";
import { createMemoryRouter, RouterProvider } from "react-router-dom";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import CardForm from "../../../app/signup/card/card-form";
import type { Notice } from "../../../app/signup/notices";
import type { CardStepData } from "../../../app/signup/steps";

/* The card form in a document, with a Stripe.js whose answers a test sets. */

const RETURN = "/subscription?return=a-token";
const DECLINED = { error: { type: "card_error", message: "Your card was declined." } };
const data: CardStepData = {
  step: "card",
  key: "a-key",
  packageId: "",
  expiresAt: 0,
  clientSecret: "seti_1_secret_1",
  publishableKey: "pk_test_1",
  stripeJsUrl: "https://js.stripe.com/endive/stripe.js",
  returnPath: RETURN,
  trialEnd: "2027-01-20T08:00:00.000Z",
  resumeLink: undefined,
  countryCode: "US",
};

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  sessionStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  document.head.replaceChildren();
  Reflect.deleteProperty(window, "Stripe");
});

/** The package keeps the first Stripe.js that it finds. */
let client: object;
const StripeJs = Object.assign(() => client, { version: "endive" });

/** Stripe's client; its element reports that it is ready once it is mounted. */
function stripeThat(setupIntent: object, confirms: object[] = []) {
  const confirmed: object[] = [];
  const handlers = new Map<string, (event: object) => void>();
  const element = {
    on: (name: string, handler: (event: object) => void) => handlers.set(name, handler),
    once: () => {},
    off: () => {},
    mount: () => {},
    update: () => {},
    destroy: () => {},
  };
  const created = vi.fn((_type: string, _options: object) => element);
  const elements = { create: created, getElement: () => null, update: () => {} };
  const stripe = {
    elements: () => elements,
    createToken() {},
    createPaymentMethod() {},
    confirmCardPayment() {},
    retrieveSetupIntent: vi.fn(async () => setupIntent),
    confirmSetup: vi.fn(async (options: object) => {
      confirmed.push(options);
      const answer = confirms.shift() ?? {};
      if (answer instanceof Error) throw answer;
      return answer;
    }),
  };
  client = stripe;
  return { created, confirmed, ready: () => handlers.get("ready")?.({}) };
}

async function show({ isLoaded = true } = {}) {
  if (isLoaded) Object.assign(window, { Stripe: StripeJs });
  const notices: (Notice | undefined)[] = [];
  const props = { data, onNotice: (notice: Notice | undefined) => void notices.push(notice), onReady: vi.fn() };
  const router = createMemoryRouter(
    [
      {
        id: "root",
        path: "/",
        loader: () => ({ siteUrl: "https://www.site.example" }),
        element: createElement(CardForm, props),
      },
      { path: "/subscription", element: "The server's answer" },
    ],
    { hydrationData: { loaderData: { root: { siteUrl: "https://www.site.example" } } } },
  );
  const container = document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  await act(async () => root.render(createElement(RouterProvider, { router })));
  const at = () => router.state.location.pathname + router.state.location.search;
  const button = () => container.querySelector("button");
  const press = () => act(async () => button()?.click());
  return { container, notices, at, button, press, end: () => act(async () => root.unmount()) };
}

const OPEN = { setupIntent: { status: "requires_payment_method" } };

test("Stripe's payment element is in tabs, and Pay is disabled until it is ready", async () => {
  const { ready, created } = stripeThat(OPEN);
  const { button, end } = await show();
  expect(created.mock.calls).toMatchObject([["payment", { layout: "tabs" }]]);
  expect([button()?.textContent, button()?.disabled]).toEqual(["Pay", true]);
  await act(async () => ready());
  expect(button()?.disabled).toBe(false);
  await end();
});

test.each(["succeeded", "processing", "canceled"])(
  "a setup that is %s before a card is entered goes to the bank's return",
  async (status) => {
    stripeThat({ setupIntent: { status } });
    const { at, end } = await show();
    expect(at()).toBe(RETURN);
    await end();
  },
);

test.each<[what: string, answer: object, goesOn: boolean, notice: object | undefined]>([
  ["succeeds", { setupIntent: { status: "succeeded" } }, true, undefined],
  ["is processed", { setupIntent: { status: "processing" } }, true, undefined],
  ["was set up elsewhere", { error: { code: "setup_intent_unexpected_state" } }, true, undefined],
  ["is gone", { error: { code: "resource_missing" } }, true, undefined],
  ["is declined", DECLINED, false, { title: "Payment Failed", message: "Your card was declined." }],
  ["fails without words", {}, false, { title: "Payment Failed", message: "An error occurred during payment" }],
  [
    "fails with words for developers",
    { error: { type: "api_error", message: "Bad key" } },
    false,
    { title: "Payment Failed", message: "An error occurred during payment" },
  ],
  ["throws", new Error("unexpected"), false, { title: "Payment Error" }],
])("a card that %s leads on or is told", async (_, answer, goesOn, notice) => {
  const { ready, confirmed } = stripeThat(OPEN, [answer]);
  const { at, notices, press, end } = await show();
  await act(async () => ready());
  await press();
  expect(at()).toBe(goesOn ? RETURN : "/");
  expect(notices[0]).toEqual({ kind: "progress", title: "Processing..." });
  if (notice) expect(notices.at(-1)).toMatchObject(notice);
  expect(confirmed).toMatchObject([
    { redirect: "if_required", confirmParams: { return_url: `https://www.site.example${RETURN}` } },
  ]);
  await end();
});

test("from the third declined card on the notice says how many tries are left", async () => {
  const { ready } = stripeThat(OPEN, [DECLINED, DECLINED, DECLINED]);
  const { notices, press, end } = await show();
  await act(async () => ready());
  for (let nth = 0; nth < 3; nth += 1) await press();
  const told = notices.filter((notice) => notice?.kind === "destructive").map((notice) => notice?.hint);
  expect(told).toEqual([undefined, undefined, expect.stringContaining("at most 2 more cards")]);
  await end();
});

test("a script of Stripe that does not load is told, and can be asked for again", async () => {
  const { container, notices, button, end } = await show({ isLoaded: false });
  const script = () => document.head.querySelector("script");
  expect(script()?.src).toBe(data.stripeJsUrl);
  await act(async () => script()?.dispatchEvent(new Event("error")));
  expect(notices.at(-1)).toMatchObject({ message: expect.stringContaining("could not be loaded") });
  expect([button()?.textContent, script()]).toEqual(["Retry", null]);
  stripeThat(OPEN);
  await act(async () => button()?.click());
  Object.assign(window, { Stripe: StripeJs });
  await act(async () => script()?.dispatchEvent(new Event("load")));
  expect(container.textContent).toContain("Pay");
  await end();
});

test("card fields that fail to load can be loaded again", async () => {
  stripeThat({ error: { type: "invalid_request_error", message: "No such setupintent" } });
  const { button, press, end } = await show();
  expect(button()?.textContent).toBe("Retry");
  const { ready } = stripeThat(OPEN);
  await press();
  await act(async () => ready());
  expect([button()?.textContent, button()?.disabled]).toEqual(["Pay", false]);
  await end();
});
