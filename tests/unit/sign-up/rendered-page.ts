import { UNSAFE_RemixContext as RemixContext } from "@remix-run/react";
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import { act, type ComponentProps, createElement, type ReactElement } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, Outlet, type RouteObject, RouterProvider } from "react-router-dom";
import { afterEach, beforeEach, vi } from "vitest";
import * as z from "zod";
import { API_PROMISES } from "../../../app/contract/api-promises";
import { clientAction, clientLoader, ErrorBoundary, shouldRevalidate } from "../../../app/routes/subscription";
import { setLostStep } from "../../../app/signup/requests/shown-step";
import { SignupPage } from "../../../app/signup/signup-page";
import type {
  CardStepData,
  DoneStepData,
  FormStepData,
  SignupReply,
  SignupStep,
  WaitingStepData,
} from "../../../app/signup/steps";
import type { Site } from "../../../app/ui/use-site";
import { PATH, PLAN, SETTINGS, SITE_URL, TERMS } from "../../support/site-in-process/site-settings";
import { translate } from "../../support/translate";
import { SESSIONS } from "./sessions";

export const SITE = {
  siteUrl: SITE_URL,
  consoleUrl: "https://console.site.example",
  customerPortalUrl: SETTINGS.CUSTOMER_PORTAL_URL,
  apiPromises: API_PROMISES,
  automaticTax: false,
};

export const RETURN_PATH = "/subscription?return=a-token";

/** Data of the card step from the server. */
export const cardStep: CardStepData = {
  ...SESSIONS.card,
  step: "card",
  publishableKey: "pk_test_1",
  stripeJsUrl: "https://js.stripe.com/endive/stripe.js",
  returnPath: RETURN_PATH,
  trialEnd: "2027-01-20T08:00:00.000Z",
  resumeLink: undefined,
  countryCode: "US",
};

export const form: FormStepData = { step: "form", packageId: PLAN };
export const openForm: SignupStep = { ...form, openPlan: PLAN };
export const waiting: WaitingStepData = {
  ...{ step: "waiting", reason: "unreachable", refreshSeconds: 10 },
  ...{ packageId: PLAN, terms: TERMS },
};
export const done: DoneStepData = { ...SESSIONS.done, step: "done" };
export const resume: SignupStep = { step: "resume", state: "ready" };

type Remix = NonNullable<ComponentProps<typeof RemixContext.Provider>["value"]>;
const remix = { manifest: { routes: {} }, routeModules: {}, future: {} } as Partial<Remix> as Remix;

/** The page's own loader, action or error page. `at` is its path and query, and `site` changes the site's settings. */
type ShownRoute = Pick<RouteObject, "loader" | "action" | "shouldRevalidate" | "errorElement"> & {
  at?: string;
  site?: Partial<Site>;
};

/**
 * Renders elements of the site in jsdom, for all tests of a file, with stopped timers.
 * @param isTranslated true if a text that React cannot change or remove in a translated page has to fail the tests
 * @returns a function that shows an element on the page of a step
 */
export function renderedPages({ isTranslated = false } = {}) {
  const cleanups: (() => void)[] = [];

  beforeEach(() => {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    Element.prototype.scrollIntoView = () => {};
    vi.stubGlobal("scrollTo", vi.fn());
    vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });

  afterEach(async () => {
    await act(async () => cleanups.splice(0).forEach((cleanUp) => void cleanUp()));
    // A page keeps it until the site answers.
    setLostStep(undefined);
    vi.useRealTimers();
    vi.unstubAllGlobals();
    document.body.replaceChildren();
    document.head.replaceChildren();
  });

  return async function show(element: ReactElement, step: SignupStep, reply?: SignupReply, route: ShownRoute = {}) {
    const loader = vi.fn(() => step);
    const { at = "/?resume=x", site, ...behavior } = route;
    const siteData = { ...SITE, ...site };
    const page = { id: "page", path: "*", element, loader, ...behavior };
    const rootRoute = { id: "root", element: createElement(Outlet), shouldRevalidate: () => false };
    history.replaceState(null, "", at);
    const router = createBrowserRouter([{ ...rootRoute, loader: () => siteData, children: [page] }], {
      hydrationData: { loaderData: { root: siteData, page: step }, ...(reply && { actionData: { page: reply } }) },
    });
    // Remix keeps it there, where error boundaries look for the server's errors.
    vi.stubGlobal("__remixRouter", router);
    const container = document.body.appendChild(document.createElement("div"));
    const root = createRoot(container);
    cleanups.push(
      () => root.unmount(),
      () => router.dispose(),
    );
    await act(async () =>
      root.render(createElement(RemixContext.Provider, { value: remix }, createElement(RouterProvider, { router }))),
    );
    // On a slow machine the card form would come in the middle of a test.
    await act(() => vi.dynamicImportSettled());
    if (isTranslated) translate(container);
    const button = (name: string) => [...container.querySelectorAll("button")].find((one) => one.textContent === name);
    return {
      container,
      loader,
      button,
      press: (name: string) => act(async () => button(name)?.click()),
      go: (to: string) => act(async () => void router.navigate(to)),
      /** Path and query of the page. */
      place: () => router.state.location.pathname + router.state.location.search,
    };
  };
}

/** Lets time pass in a page. */
export const pass = (milliseconds: number) => act(async () => vi.advanceTimersByTime(milliseconds));

export const LOST = new TypeError("Failed to fetch");
/** Remix's error for an answer that is not a page's data, for example a proxy's page. */
export const UNREADABLE = new Error("Unable to decode turbo-stream response from URL: /subscription.data");
/** Remix's error in place of the server's own. */
export const SERVER_ERROR = new Error("Unexpected Server Error");

/** What the site says to a request: data, a redirect, or an error. `never` does not answer. */
export type Said<Content> = Content | null | Response | ErrorResponse | Error | "never";

async function say<Content>(said: Said<Content>): Promise<Content | null> {
  if (said === "never") return new Promise(() => {});
  if (said instanceof Error || said instanceof Response || said instanceof ErrorResponse) throw said;
  return said;
}

const loaderArguments = z.custom<Parameters<typeof clientLoader>[0]>();
const actionArguments = z.custom<Parameters<typeof clientAction>[0]>();

const SIGNUP_PAGE = createElement(SignupPage);

/** For one test file. Returns a function that opens the page of a step. `site` says what the server answers, and can be changed. */
export function pagesWithServer() {
  const showPage = renderedPages({ isTranslated: true });
  type Opened = { at?: string; reply?: SignupReply; element?: ReactElement };
  return async function open(step: SignupStep, { at = PATH, reply, element = SIGNUP_PAGE }: Opened = {}) {
    const site = { step: LOST as Said<SignupStep>, reply: LOST as Said<SignupReply>, asked: 0 };
    const serverLoader = () => {
      site.asked += 1;
      return say(site.step);
    };
    const page = await showPage(element, step, reply, {
      at,
      loader: (given) => clientLoader(loaderArguments.parse({ ...given, serverLoader })),
      action: (given) => clientAction(actionArguments.parse({ ...given, serverAction: () => say(site.reply) })),
      shouldRevalidate,
      errorElement: createElement(ErrorBoundary),
    });
    const notice = () => page.container.querySelector<HTMLElement>(".step-main > .notice-region > .notice");
    return {
      ...page,
      site,
      notice: () => notice()?.textContent ?? "",
      hasFocus: () => document.activeElement === notice(),
      text: () => page.container.textContent ?? "",
      follow: (name: string) =>
        act(async () => [...page.container.querySelectorAll("a")].find((one) => one.textContent === name)?.click()),
      comeBack: () => act(async () => void document.dispatchEvent(new Event("visibilitychange"))),
      reconnect: () => act(async () => void window.dispatchEvent(new Event("online"))),
      field: (name: string) => page.container.querySelector<HTMLInputElement>(`input[name=${name}]`),
    };
  };
}

/** Lets the page try three times. */
export async function tryThrice() {
  await pass(500);
  await pass(1_500);
}
