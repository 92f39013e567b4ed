// @vitest-environment jsdom
import { UNSAFE_RemixContext as RemixContext } from "@remix-run/react";
import { act, type ComponentProps, createElement, type ReactElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router-dom";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { company } from "../../../app/company";
import CardForm from "../../../app/signup/card/card-form";
import * as notices from "../../../app/signup/notices";
import { SignupPage } from "../../../app/signup/signup-page";
import type { CardStepData, SignupReply, SignupStep } from "../../../app/signup/steps";
import { PLAN, SETTINGS, SITE_URL } from "../../support/site-in-process/site-settings";
import { SESSIONS } from "./sessions";

/* The sign-up's pages in a document: what each step says, and the card form with a Stripe.js whose answers a test sets. */

const RETURN = "/subscription?return=a-token";
const SITE = {
  siteUrl: SITE_URL,
  consoleUrl: "https://console.site.example",
  customerPortalUrl: SETTINGS.CUSTOMER_PORTAL_URL,
};
const data: CardStepData = {
  ...SESSIONS.card,
  step: "card",
  publishableKey: "pk_test_1",
  stripeJsUrl: "https://js.stripe.com/endive/stripe.js",
  returnPath: RETURN,
  trialEnd: "2027-01-20T08:00:00.000Z",
  resumeLink: undefined,
  countryCode: "US",
};

const roots: Root[] = [];

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  Element.prototype.scrollIntoView = () => {};
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  await act(async () => roots.splice(0).forEach((root) => void root.unmount()));
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  document.head.replaceChildren();
});

type Remix = NonNullable<ComponentProps<typeof RemixContext.Provider>["value"]>;
const remix = { manifest: { routes: {} }, routeModules: {}, future: {} } as Partial<Remix> as Remix;

/** Shows an element on the site's page of a step, at any path. */
async function show(element: ReactElement, step: SignupStep = data, reply?: SignupReply) {
  const loader = vi.fn(() => step);
  const page = { id: "page", path: "*", element, loader };
  const routes = [{ id: "root", element: createElement(Outlet), loader: () => SITE, children: [page] }];
  const router = createMemoryRouter(routes, {
    initialEntries: ["/?resume=x"],
    hydrationData: { loaderData: { root: SITE, page: step }, ...(reply && { actionData: { page: reply } }) },
  });
  const container = document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  roots.push(root);
  await act(async () =>
    root.render(createElement(RemixContext.Provider, { value: remix }, createElement(RouterProvider, { router }))),
  );
  const button = () => container.querySelector("button");
  const hasReturned = () => router.state.location.pathname + router.state.location.search === RETURN;
  return { container, loader, hasReturned, button, press: () => act(async () => button()?.click()) };
}

const waiting = { step: "waiting", packageId: "", reason: "unreachable", refreshSeconds: 5 } as const;

describe("a step says what has happened, and where to go on:", () => {
  const [SALES, SUPPORT] = [`mailto:${company.salesEmail}`, `mailto:${company.supportEmail}`];
  const resume = (state: "ready" | "busy" | "ended"): SignupStep => ({ step: "resume", state });
  const form = (ended: notices.Notice): SignupStep => ({ step: "form", packageId: "", ended });
  const done = { ...SESSIONS.done, step: "done", details: undefined } as const;
  const failure = { kind: "destructive", title: "Failed", actions: ["support"] } satisfies notices.Notice;

  test.each<[words: string, step: SignupStep | notices.Notice, ...links: string[]]>([
    ["Continue your sign-upThis link continues a sign-up that still needs a card. Continue only if", resume("ready")],
    ["Continue only if it's yours.Continue this sign-up", resume("ready")],
    ["open the link on another device.Continue the current sign-up", resume("busy"), "/"],
    ["This link has expired. Links last 30 minutes. Get a new one where you started, or", resume("ended")],
    ["where you started, or continue here.Go to the sign-up", resume("ended"), "/"],
    ["To try again, start a new sign-up with another card, or contact sales", form(notices.SIGNUP_CANCELED), SALES],
    ["Your sign-up has endedWe kept it for 24 hours. You haven't been charged.", form(notices.SESSION_EXPIRED)],
    ["If your card was set up, we have sent you an email.", form(notices.SESSION_UNREADABLE)],
    ["One more stepMany sign-ups come from your network. Confirm you're not a bot", notices.ONE_MORE_STEP],
    ["This sign-up is finishedYou've already set up your card. There's nothing left", notices.SIGNUP_FINISHED],
    ["Contact SupportRequest ID: r-1", failure, SUPPORT],
    ["Payment FailedThis card has already been used for a free trial.", { ...data, flash: "card used" }, SALES],
    ["Configuration ErrorPayment setup failed. Please contact", { ...data, publishableKey: "" }, SUPPORT],
    ["To cancel, open the customer portal; every email we send links to it.", data, SITE.customerPortalUrl],
    ["We haven't been able to confirm your card yet. Nothing is lost.", waiting, "/?resume=x"],
    ["sent to the address that you entered.", done, SITE.consoleUrl],
    ["include this request ID: the-first-request", done],
  ])("%s", async (words, about, ...links) => {
    // A form that comes back is shown whatever the cookie has by now.
    const reply = "kind" in about && { notice: about, requestId: "r-1", form: { initialValue: { package_id: PLAN } } };
    const { container } = await show(createElement(SignupPage), "kind" in about ? data : about, reply || undefined);
    if (reply) expect(container.querySelector("form")?.getAttribute("action")).toBe(`/subscription/${PLAN}`);
    expect(container.textContent).toContain(words);
    const hrefs = [...container.querySelectorAll("a")].map((link) => link.getAttribute("href"));
    expect(hrefs).toEqual(expect.arrayContaining(links));
  });

  test("a card that is waited for is asked about again after its seconds", async () => {
    const { loader } = await show(createElement(SignupPage), waiting);
    await act(async () => vi.advanceTimersByTime(4_999));
    expect(loader).not.toHaveBeenCalled();
    await act(async () => vi.advanceTimersByTime(1));
    expect(loader).toHaveBeenCalledOnce();
  });
});

describe("the card form", () => {
  /** The package keeps the first Stripe.js that it finds. */
  let client: object;
  const StripeJs = Object.assign(() => client, { version: "endive" });

  const status = (word: string) => ({ setupIntent: { status: word } });
  const error = (type: string, message: string) => ({ error: { type, message } });
  const [OPEN, GONE] = [status("requires_payment_method"), { error: { code: "resource_missing" } }];
  const DECLINED = error("card_error", "Your card was declined.");

  /** Shows the form with a client of Stripe's that finds these setup intents in turn, and gives an answer to a card. */
  async function showForm({ found = [OPEN] as object[], answer = DECLINED as object, isLoaded = true } = {}) {
    const handlers = new Map<string, () => void>();
    const on = (name: string, handler: () => void) => handlers.set(name, handler);
    const element = { on, once() {}, off() {}, mount() {}, update() {}, destroy() {} };
    const elements = () => ({ create: () => element, getElement: () => null, update() {} });
    const retrieveSetupIntent = vi.fn(async () => (found.length > 1 ? found.shift() : found[0]));
    const confirmSetup = async () => (answer instanceof Error ? Promise.reject(answer) : answer);
    const others = { createToken() {}, createPaymentMethod() {}, confirmCardPayment() {} };
    client = { ...others, elements, retrieveSetupIntent, confirmSetup };
    if (isLoaded) vi.stubGlobal("Stripe", StripeJs);
    const [told, onReady] = [vi.fn<(notice?: notices.Notice) => void>(), vi.fn()];
    const page = await show(createElement(CardForm, { data, onNotice: told, onReady }));
    const ready = () => act(async () => handlers.get("ready")?.());
    return { ...page, told, onReady, ready, retrieved: retrieveSetupIntent };
  }

  const ENDED = [status("succeeded"), status("processing"), status("canceled"), GONE];

  test("goes where the bank returns to if the setup is over before a card is entered", async () => {
    for (const over of ENDED) expect((await showForm({ found: [over] })).hasReturned()).toBe(true);
  });

  const failed = (message: string) => ({ title: "Payment Failed", message });
  const UNKNOWN = failed("An error occurred during payment");

  test.each<[answer: object, notice?: object]>([
    ...ENDED.map((answer): [object] => [answer]),
    [{ error: { code: "setup_intent_unexpected_state" } }],
    [{ error: { setup_intent: { status: "succeeded" } } }],
    [DECLINED, failed("Your card was declined.")],
    [{}, UNKNOWN],
    [error("api_error", "Bad key"), UNKNOWN],
    [new Error("unexpected"), { title: "Payment Error" }],
  ])("takes a card once its fields are ready, and leads on or tells if Stripe answers %j", async (answer, notice) => {
    const { ready, hasReturned, told, onReady, button, press } = await showForm({ answer });
    expect([button()?.textContent, button()?.disabled, onReady.mock.calls.length]).toEqual(["Pay", true, 0]);
    await ready();
    expect([button()?.disabled, onReady.mock.calls.length]).toEqual([false, 1]);
    await press();
    expect(told.mock.calls).toMatchObject([[{ title: "Processing..." }], ...(notice ? [[notice]] : [])]);
    expect(hasReturned()).toBe(notice === undefined);
  });

  test("looks 1, 3 and 8 seconds after a declined card whether it ended the sign-up", async () => {
    const { ready, retrieved, hasReturned, press } = await showForm({ found: [OPEN, OPEN, OPEN, status("canceled")] });
    await ready();
    await press();
    const looks = [];
    for (const wait of [999, 1, 1_999, 1, 4_999]) {
      await act(async () => vi.advanceTimersByTime(wait));
      looks.push(retrieved.mock.calls.length);
    }
    expect([looks, hasReturned()]).toEqual([[1, 2, 2, 3, 3], false]);
    await act(async () => vi.advanceTimersByTime(1));
    expect(hasReturned()).toBe(true);
  });

  test.each<[why: string, isLoaded: boolean, fail: (script: HTMLScriptElement | null) => void]>([
    ["its script fails", false, (script) => script?.dispatchEvent(new Event("error"))],
    ["its script takes 15 seconds", false, () => vi.advanceTimersByTime(15_000)],
    ["Stripe refuses its fields", true, () => {}],
  ])("tells that it could not be loaded if %s, and loads once more", async (_, isLoaded, fail) => {
    const found = isLoaded ? [error("invalid_request_error", "No such setupintent"), OPEN] : [OPEN];
    const { told, button, press, ready } = await showForm({ isLoaded, found });
    const script = () => document.head.querySelector("script");
    expect(script()?.src).toBe(isLoaded ? undefined : data.stripeJsUrl);
    await act(async () => fail(script()));
    expect([button()?.textContent, script()]).toEqual(["Retry", null]);
    await press();
    const message = "The payment form could not be loaded. Please check your connection and try again.";
    expect(told.mock.calls).toMatchObject([[{ message }], [undefined]]);
    vi.stubGlobal("Stripe", StripeJs);
    await act(async () => script()?.dispatchEvent(new Event("load")));
    await ready();
    expect([button()?.textContent, button()?.disabled]).toEqual(["Pay", false]);
  });
});
