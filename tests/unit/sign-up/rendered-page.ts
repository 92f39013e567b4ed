import { UNSAFE_RemixContext as RemixContext } from "@remix-run/react";
import { act, type ComponentProps, createElement, type ReactElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { createBrowserRouter, Outlet, type RouteObject, RouterProvider } from "react-router-dom";
import { afterEach, beforeEach, vi } from "vitest";
import { setLostStep } from "../../../app/signup/requests/shown-step";
import type { CardStepData, SignupReply, SignupStep } from "../../../app/signup/steps";
import { SETTINGS, SITE_URL } from "../../support/site-in-process/site-settings";
import { SESSIONS } from "./sessions";

export const SITE = {
  siteUrl: SITE_URL,
  consoleUrl: "https://console.site.example",
  customerPortalUrl: SETTINGS.CUSTOMER_PORTAL_URL,
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

type Remix = NonNullable<ComponentProps<typeof RemixContext.Provider>["value"]>;
const remix = { manifest: { routes: {} }, routeModules: {}, future: {} } as Partial<Remix> as Remix;

/** The page's own loader, action or error page. `at` is its path and query. */
type ShownRoute = Pick<RouteObject, "loader" | "action" | "shouldRevalidate" | "errorElement"> & { at?: string };

/**
 * Renders elements of the site in jsdom, for all tests of a file, with stopped timers.
 * @returns a function that shows an element on the page of a step
 */
export function renderedPages() {
  const roots: Root[] = [];
  const routers: { dispose(): void }[] = [];

  beforeEach(() => {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    Element.prototype.scrollIntoView = () => {};
    vi.stubGlobal("scrollTo", vi.fn());
    vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });

  afterEach(async () => {
    await act(async () => roots.splice(0).forEach((root) => void root.unmount()));
    for (const router of routers.splice(0)) router.dispose();
    // A page keeps it until the site answers.
    setLostStep(undefined);
    vi.useRealTimers();
    vi.unstubAllGlobals();
    document.body.replaceChildren();
    document.head.replaceChildren();
  });

  return async function show(element: ReactElement, step: SignupStep, reply?: SignupReply, route: ShownRoute = {}) {
    const loader = vi.fn(() => step);
    const { at = "/?resume=x", ...behavior } = route;
    const page = { id: "page", path: "*", element, loader, ...behavior };
    const rootRoute = { id: "root", element: createElement(Outlet), loader: () => SITE, shouldRevalidate: () => false };
    history.replaceState(null, "", at);
    const router = createBrowserRouter([{ ...rootRoute, children: [page] }], {
      hydrationData: { loaderData: { root: SITE, page: step }, ...(reply && { actionData: { page: reply } }) },
    });
    routers.push(router);
    // Remix keeps it there, where error boundaries look for the server's errors.
    vi.stubGlobal("__remixRouter", router);
    const container = document.body.appendChild(document.createElement("div"));
    const root = createRoot(container);
    roots.push(root);
    await act(async () =>
      root.render(createElement(RemixContext.Provider, { value: remix }, createElement(RouterProvider, { router }))),
    );
    const button = (name: string) => [...container.querySelectorAll("button")].find((one) => one.textContent === name);
    return {
      container,
      loader,
      button,
      press: (name: string) => act(async () => button(name)?.click()),
      /** Path and query of the page. */
      place: () => router.state.location.pathname + router.state.location.search,
    };
  };
}

/** Lets time pass in a page. */
export const pass = (milliseconds: number) => act(async () => vi.advanceTimersByTime(milliseconds));
