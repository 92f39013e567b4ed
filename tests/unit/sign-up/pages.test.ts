// @vitest-environment jsdom
import { UNSAFE_RemixContext as RemixContext } from "@remix-run/react";
import { act, type ComponentProps, createElement, type ReactElement } from "react";
import { createRoot } from "react-dom/client";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router-dom";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import CardForm from "../../../app/signup/card/card-form";
import {
  type Notice,
  noticeFor,
  ONE_MORE_STEP,
  SESSION_EXPIRED,
  SESSION_UNREADABLE,
  SIGNUP_CANCELED,
  SIGNUP_FINISHED,
} from "../../../app/signup/notices";
import { SignupPage } from "../../../app/signup/signup-page";
import type { CardStepData, SignupReply, SignupStep } from "../../../app/signup/steps";

import { PLAN, SESSIONS, SETTINGS, SITE_URL } from "../../support/site-in-process/site-context";

/* The sign-up's pages in a document: what each step says, and the card form with a Stripe.js whose answers a test sets. */

const RETURN = "/subscription?return=a-token";
const SITE = {
  siteUrl: SITE_URL,
  consoleUrl: SETTINGS.CONSOLE_URL,
  customerPortalUrl: SETTINGS.CUSTOMER_PORTAL_URL,
  salesEmail: "sales@site.example",
  supportEmail: "support@site.example",
  packageIds: { mini: "another", lite: "a-third", standard: PLAN },
};
const { state: _, statusUrl: __, ...card } = SESSIONS.card;
const { details } = card;
const data: CardStepData = {
  ...card,
  step: "card",
  publishableKey: "pk_test_1",
  stripeJsUrl: "https://js.stripe.com/endive/stripe.js",
  returnPath: RETURN,
  trialEnd: "2027-01-20T08:00:00.000Z",
  resumeLink: undefined,
  countryCode: "US",
};

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("scrollTo", () => {});
  Element.prototype.scrollIntoView = () => {};
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  sessionStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  document.head.replaceChildren();
  Reflect.deleteProperty(window, "Stripe");
});

type Remix = NonNullable<ComponentProps<typeof RemixContext.Provider>["value"]>;
const remix = { manifest: { routes: {} }, routeModules: {}, future: {} } as Partial<Remix> as Remix;

/** Shows an element on the site's page of a step; a visit of the page after a card's setup shows the server's answer. */
async function show(element: ReactElement, step: SignupStep = data, reply?: SignupReply, path = "/") {
  const loader = vi.fn(() => step);
  const children = [
    { id: "page", path: "/", element, loader },
    { path: "/subscription", element: "The server's answer" },
  ];
  const router = createMemoryRouter([{ id: "root", element: createElement(Outlet), loader: () => SITE, children }], {
    initialEntries: [path],
    hydrationData: { loaderData: { root: SITE, page: step }, ...(reply && { actionData: { page: reply } }) },
  });
  const container = document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  await act(async () =>
    root.render(createElement(RemixContext.Provider, { value: remix }, createElement(RouterProvider, { router }))),
  );
  const button = () => container.querySelector("button");
  return {
    container,
    loader,
    at: () => router.state.location.pathname + router.state.location.search,
    button,
    press: () => act(async () => button()?.click()),
    end: () => act(async () => root.unmount()),
  };
}

describe("a step says what has happened, and where to go on:", () => {
  const [SALES, SUPPORT, CONSOLE] = ["mailto:sales@site.example", "mailto:support@site.example", SITE.consoleUrl];
  const resume = (state: "ready" | "busy" | "ended" | "canceled"): SignupStep => ({ step: "resume", state });
  const form = (ended?: Notice, openPlan?: string): SignupStep => {
    return { step: "form", packageId: "", ...(ended && { ended }), ...(openPlan && { openPlan }) };
  };
  const refused = (status: number) => noticeFor({ kind: "rejected", status });
  const resumeLink = { url: `${SITE_URL}/subscription?resume=x`, qrCodePath: "/resume-code" };
  const waiting = { step: "waiting", packageId: "", refreshSeconds: 5 } as const;
  const elsewhere = { step: "done", packageId: "", startedAt: "2027-01-15T08:00:00.000Z" } as const;
  const ids = { key: "a-key", details, requestId: "r-1" };
  const done = { ...elsewhere, ...ids, card: { brand: "visa", last4: "4242" }, flash: "saved" } as const;

  test.each<[words: string, step: SignupStep | Notice, ...links: string[]]>([
    ["Continue only if it's yours.Continue this sign-up", resume("ready")],
    ["open the link on another device.Continue the current sign-up", resume("busy"), "/"],
    ["Links last 30 minutes. Get a new one where you started, or continue here.", resume("ended"), "/"],
    ["To try again, start a new sign-up with another card, or contact sales", resume("canceled"), SALES, SUPPORT, "/"],
    ["A sign-up ends after 5 declined cards, or after 24 hours without a card.", form(SIGNUP_CANCELED), SALES, SUPPORT],
    ["Your sign-up has endedWe kept it for 24 hours. You haven't been charged.", form(SESSION_EXPIRED)],
    ["If your card was set up, we have sent you an email.", form(SESSION_UNREADABLE)],
    ["Your STANDARD sign-up still needs a cardFinish it", form(undefined, PLAN), `/subscription/${PLAN}`],
    ["One more stepMany sign-ups come from your network. Confirm you're not a bot", ONE_MORE_STEP],
    ["This sign-up is finishedYou've already set up your card. There's nothing left to do.", SIGNUP_FINISHED],
    ["Contact SupportRequest ID: r-1", refused(500), SUPPORT],
    ["Log in to the Customer ConsoleContact SupportRequest ID: r-1", refused(409), CONSOLE, SUPPORT],
    ["Payment FailedThis card has already been used for a free trial.", { ...data, flash: "card used" }, SALES],
    ["Signing up Engines & Sons with ada@example.com. Edit details", data, "/?edit", SITE.customerPortalUrl],
    ["Scan the code or open the link within 30 minutes.", { ...data, resumeLink }, resumeLink.url],
    ["Your bank is still processing the card.", { ...waiting, reason: "processing" }, "/?resume=x"],
    [
      "We haven't been able to confirm your card yet. Nothing is lost.",
      { ...waiting, reason: "unreachable" },
      "/?resume=x",
    ],
    ["Card Successful!Your card has been processed successfully.subscription Successful!", done, CONSOLE],
    ["CompanyEngines & SonsContactAda LovelaceEmailada@example.comPhone(212) 555-0123Trial ends", done],
    ["Trial endsJanuary 20, 2027 (UTC)CardVisa ending in 4242", done],
    ["January 18, 2027 (UTC) We email you a reminder", done],
    ["include this request ID: r-1Sign up another company", done],
    ["will be sent to the address that you entered.", { ...elsewhere, key: undefined, details: undefined }],
  ])("%s", async (words, about, ...links) => {
    const isNotice = "kind" in about;
    // A form that comes back is shown whatever the cookie has by now.
    const reply = isNotice && { notice: about, requestId: "r-1", form: { initialValue: { package_id: PLAN } } };
    const { container, end } = await show(
      createElement(SignupPage),
      isNotice ? data : about,
      reply || undefined,
      "/?resume=x",
    );
    const action = container.querySelector("form")?.getAttribute("action");
    if (isNotice) expect(action).toBe(`/subscription/${PLAN}`);
    const key = container.querySelector("[name=sign_up]")?.getAttribute("value");
    if ("key" in about) expect(key).toBe(about.key);
    if (words.startsWith("Scan")) expect(container.querySelector("img")?.getAttribute("src")).toBe("/resume-code");
    if (words.startsWith("Continue only")) expect(action).toBe("/?resume=x");
    expect(container.textContent).toContain(words);
    const hrefs = [...container.querySelectorAll("a")].map((link) => link.getAttribute("href"));
    expect(hrefs).toEqual(expect.arrayContaining(links));
    await end();
  });

  test("a card that is waited for is asked about again after its seconds", async () => {
    const { loader, end } = await show(createElement(SignupPage), { ...waiting, reason: "processing" });
    await act(async () => vi.advanceTimersByTime(4_999));
    expect(loader).not.toHaveBeenCalled();
    await act(async () => vi.advanceTimersByTime(1));
    expect(loader).toHaveBeenCalledOnce();
    await end();
  });
});

describe("the card form", () => {
  const DECLINED = { error: { type: "card_error", message: "Your card was declined." } };
  const OPEN = { setupIntent: { status: "requires_payment_method" } };
  /** The package keeps the first Stripe.js that it finds. */
  let client: object;
  const StripeJs = Object.assign(() => client, { version: "endive" });

  /** Stripe's client, whose element is ready once a test says so. */
  function stripeThat(setupIntent: object, confirms: object[] = []) {
    const handlers = new Map<string, () => void>();
    const on = (name: string, handler: () => void) => handlers.set(name, handler);
    const element = { on, once() {}, off() {}, mount() {}, update() {}, destroy() {} };
    const created = vi.fn((_type: string, _options: object) => element);
    const retrieved = vi.fn(async () => setupIntent);
    const confirmed = vi.fn(async (_options: object) => {
      const answer = confirms.shift() ?? {};
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const elements = { create: created, getElement: () => null, update() {} };
    const shown = vi.fn((_options: object) => elements);
    const others = { createToken() {}, createPaymentMethod() {}, confirmCardPayment() {} };
    client = { ...others, elements: shown, retrieveSetupIntent: retrieved, confirmSetup: confirmed };
    return { shown, created, confirmed, retrieved, ready: () => act(async () => handlers.get("ready")?.()) };
  }

  async function showForm({ isLoaded = true, step = data } = {}) {
    if (isLoaded) Object.assign(window, { Stripe: StripeJs });
    const told: (Notice | undefined)[] = [];
    const props = { data: step, onNotice: (notice: Notice | undefined) => void told.push(notice), onReady: vi.fn() };
    return { ...(await show(createElement(CardForm, props))), told, onReady: props.onReady };
  }

  test.each<[string | undefined, string]>([
    ["US", "never"],
    [undefined, "auto"],
  ])(
    "asks Stripe for fields in tabs, without wallets, filled in; Pay waits for them: %s",
    async (countryCode, asked) => {
      const { ready, shown, created, confirmed } = stripeThat(OPEN);
      const { button, press, onReady, end } = await showForm({ step: { ...data, countryCode } });
      const { full_name: name, email, phone, address: line1, city, state, zipCode: postal_code } = details;
      const address = { line1, city, state, postal_code, ...(countryCode && { country: countryCode }) };
      const billing_details = { name, email, phone, address };
      const fields = { billingDetails: { address: { country: asked, postalCode: asked } } };
      const wallets = { applePay: "never", googlePay: "never", link: "never" };
      const options = { layout: "tabs", wallets, defaultValues: { billingDetails: billing_details }, fields };
      expect(created.mock.calls).toEqual([["payment", options]]);
      expect(shown.mock.calls[0]).toMatchObject([{ clientSecret: data.clientSecret, locale: "en" }]);
      expect([button()?.textContent, button()?.disabled]).toEqual(["Pay", true]);
      await ready();
      expect([button()?.disabled, onReady.mock.calls.length]).toEqual([false, 1]);
      await press();
      const confirmParams = { return_url: SITE_URL + RETURN, payment_method_data: { billing_details } };
      expect(confirmed.mock.calls).toMatchObject([[{ redirect: "if_required", confirmParams }]]);
      await end();
    },
  );

  const status = (status: string) => ({ setupIntent: { status } });
  const GONE = { error: { code: "resource_missing" } };

  test.each<[string, object]>([
    ...["succeeded", "processing", "canceled"].map((word): [string, object] => [word, status(word)]),
    ["unknown", GONE],
  ])("goes where the bank returns to if the setup is %s before a card is entered", async (_, setupIntent) => {
    stripeThat(setupIntent);
    const { at, end } = await showForm();
    expect(at()).toBe(RETURN);
    await end();
  });

  const failed = (message: string) => ({ title: "Payment Failed", message });
  const UNKNOWN = "An error occurred during payment";

  test.each<[what: string, answer: object, notice: object | undefined]>([
    ["succeeds", status("succeeded"), undefined],
    ["is processed", status("processing"), undefined],
    ["ends the sign-up", status("canceled"), undefined],
    ["was set up elsewhere", { error: { code: "setup_intent_unexpected_state" } }, undefined],
    ["was set up meanwhile", { error: { setup_intent: { status: "succeeded" } } }, undefined],
    ["is gone", GONE, undefined],
    ["is declined", DECLINED, failed("Your card was declined.")],
    ["fails without words", {}, failed(UNKNOWN)],
    ["fails with words for developers", { error: { type: "api_error", message: "Bad key" } }, failed(UNKNOWN)],
    ["throws", new Error("unexpected"), { title: "Payment Error" }],
  ])("leads on or tells if a card %s", async (_, answer, notice) => {
    const { ready } = stripeThat(OPEN, [answer]);
    const { at, told, press, end } = await showForm();
    await ready();
    await press();
    expect([at(), told[0]]).toEqual([notice ? "/" : RETURN, { kind: "progress", title: "Processing..." }]);
    if (notice) expect(told.at(-1)).toMatchObject(notice);
    await end();
  });

  test("says from the third declined card to the fourth how many tries are left", async () => {
    const { ready } = stripeThat(
      OPEN,
      Array.from({ length: 5 }, () => DECLINED),
    );
    const { told, press, end } = await showForm();
    await ready();
    for (let nth = 0; nth < 5; nth += 1) await press();
    const hints = told.flatMap((notice) => (notice?.kind === "destructive" ? [notice.hint?.slice(0, 33)] : []));
    const [three, four] = ["You can try at most 2 more cards.", "You can try at most 1 more card. "];
    expect(hints).toEqual([undefined, undefined, three, four, undefined]);
    await end();
  });

  test("looks 1, 3 and 8 seconds after a declined card whether it ended the sign-up", async () => {
    const { ready, retrieved } = stripeThat(OPEN, [DECLINED]);
    const { at, press, end } = await showForm();
    await ready();
    await press();
    const counts = [];
    for (const wait of [999, 1, 1_999, 1, 4_999]) {
      await act(async () => vi.advanceTimersByTime(wait));
      counts.push(retrieved.mock.calls.length);
    }
    expect([counts, at()]).toEqual([[1, 2, 2, 3, 3], "/"]);
    retrieved.mockResolvedValue({ setupIntent: { status: "canceled" } });
    await act(async () => vi.advanceTimersByTime(1));
    expect(at()).toBe(RETURN);
    await end();
  });

  test.each<[string, (script: HTMLScriptElement | null) => void]>([
    ["that fails", (script) => script?.dispatchEvent(new Event("error"))],
    ["that takes 15 seconds", () => vi.advanceTimersByTime(15_000)],
  ])("tells of a script of Stripe %s, and asks for it again", async (_, fail) => {
    const { container, told, button, press, end } = await showForm({ isLoaded: false });
    const script = () => document.head.querySelector("script");
    expect(script()?.src).toBe(data.stripeJsUrl);
    await act(async () => fail(script()));
    expect([told.length, button()?.textContent, script()]).toEqual([1, "Retry", null]);
    stripeThat(OPEN);
    await press();
    Object.assign(window, { Stripe: StripeJs });
    await act(async () => script()?.dispatchEvent(new Event("load")));
    expect(container.textContent).toContain("Pay");
    await end();
  });

  test("loads fields that failed to load once more", async () => {
    stripeThat({ error: { type: "invalid_request_error", message: "No such setupintent" } });
    const { button, press, told, end } = await showForm();
    const message = "The payment form could not be loaded. Please check your connection and try again.";
    expect([button()?.textContent, told.at(-1)?.message]).toEqual(["Retry", message]);
    const { ready } = stripeThat(OPEN);
    await press();
    expect(told.at(-1)).toBeUndefined();
    await ready();
    expect([button()?.textContent, button()?.disabled]).toEqual(["Pay", false]);
    await end();
  });
});
