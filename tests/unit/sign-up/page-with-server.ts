import { UNSAFE_ErrorResponseImpl as ErrorResponse } from "@remix-run/router";
import { act, createElement } from "react";
import * as z from "zod";
import { clientAction, clientLoader, ErrorBoundary, shouldRevalidate } from "../../../app/routes/subscription";
import { SignupPage } from "../../../app/signup/signup-page";
import type { SignupReply, SignupStep } from "../../../app/signup/steps";
import { PATH, PLAN } from "../../support/site-in-process/site-settings";
import { pass, renderedPages } from "./rendered-page";
import { SESSIONS } from "./sessions";

/* The page with its own loader and action, and a server whose answers a test sets. */

export const form: SignupStep = { step: "form", packageId: PLAN };
export const openForm: SignupStep = { ...form, openPlan: PLAN };
export const waiting: SignupStep = { step: "waiting", packageId: PLAN, reason: "unreachable", refreshSeconds: 10 };
export const done: SignupStep = { ...SESSIONS.done, step: "done" };
export const resume: SignupStep = { step: "resume", state: "ready" };

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

/** For one test file. Returns a function that opens the page of a step. `site` says what the server answers, and can be changed. */
export function pagesWithServer() {
  const showPage = renderedPages();
  return async function open(step: SignupStep, { at = PATH, reply }: { at?: string; reply?: SignupReply } = {}) {
    const site = { step: LOST as Said<SignupStep>, reply: LOST as Said<SignupReply>, asked: 0 };
    const serverLoader = () => {
      site.asked += 1;
      return say(site.step);
    };
    const page = await showPage(createElement(SignupPage), step, reply, {
      at,
      loader: (given) => clientLoader(loaderArguments.parse({ ...given, serverLoader })),
      action: (given) => clientAction(actionArguments.parse({ ...given, serverAction: () => say(site.reply) })),
      shouldRevalidate,
      errorElement: createElement(ErrorBoundary),
    });
    const notice = () => page.container.querySelector<HTMLElement>("[role=alert] .notice");
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
