import { JSDOM } from "jsdom";
import { type Answer, returnPathIn } from "../../support/visitors/site-visitor";
import type { Page } from "./visitors";

const KINDS = {
  card: "Please enter your card info for starting your 5 days free trial",
  form: "Subscription Information",
  waiting: "This page checks automatically.",
  done: "Your 5 days trial period has been started.",
  resume: "Continue your sign-up",
} as const;

const parser = new new JSDOM().window.DOMParser();

/** A page as it is sent. A page that is none of the sign-up's, or that seems to be two, is an error. */
export function readPage(path: string, answer: Answer): Page {
  const html = answer.body.replace(/<style[^>]*>.*?<\/style>/s, "");
  const readable = html.replace(/<script\b.*?<\/script>/gs, "");
  const document = parser.parseFromString(readable, "text/html");
  const words = (document.querySelector("main")?.textContent ?? "").replace(/\s+/g, " ");
  const kinds = Object.keys(KINDS).filter((kind): kind is Page["kind"] => words.includes(KINDS[kind as Page["kind"]]));
  const [kind, ...others] = kinds;
  if (kind === undefined || others.length > 0)
    throw new Error(`${path} is ${kinds.join(" and ") || "no step"}: ${words}`);
  const value = (field: string) => document.querySelector(`#signup [name="${field}"]`)?.getAttribute("value") ?? "";
  const detail = (term: string) =>
    [...document.querySelectorAll("dt")].find(({ textContent }) => textContent === term)?.nextElementSibling
      ?.textContent ?? "";
  const [, company, email] = /Signing up (.+?) with (\S+)\./.exec(words) ?? [];
  const href = (selector: string) => document.querySelector(`main ${selector}`)?.getAttribute("href") ?? "";
  const link = href('a[href*="?resume="]');
  return {
    path,
    kind,
    notices: [...document.querySelectorAll(".notice p")].map(({ textContent }) => textContent ?? ""),
    text: readable,
    email: email ?? (detail("Email") || value("email")),
    company: company ?? (detail("Company") || value("company_name")),
    plan: value("package_id"),
    secret: kind === "card" ? (/seti_\w+_secret_\w+/.exec(html)?.[0] ?? "") : "",
    returnPath: returnPathIn(answer),
    link: link === "" ? "" : link.slice(new URL(link).origin.length),
    key: document.querySelector('[name="sign_up"]')?.getAttribute("value") ?? "",
    offer: href(".notice-progress a[href^='/subscription']"),
    isReady: words.includes("Continue only if it's yours."),
  };
}
