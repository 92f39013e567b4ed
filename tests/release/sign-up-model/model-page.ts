import { JSDOM } from "jsdom";
import { DUPLICATE } from "../../../app/signup/notices";
import { withoutStyle } from "../../support/visitors/site-visitor";

const KINDS = {
  card: "Please enter your card info for starting your 5 days free trial",
  form: "Subscription Information",
  waiting: "This page checks automatically.",
  done: "Your 5 days trial period has been started.",
  resume: "Continue your sign-up",
};

const NOTICES = {
  expired: "Your sign-up has ended",
  unreadable: "Your sign-up could not be opened",
  canceled: "This sign-up was canceled",
  blocked: "Cookies are blocked",
  taken: DUPLICATE,
  unreachable: "Connection Failed",
  finished: "This sign-up is finished",
};

export type Kind = keyof typeof KINDS;

/** A page as a visitor reads it. */
export interface Shown {
  document: Document;
  html: string;
  words: string;
  /** Undefined for a page that is none of the sign-up's, or that seems to be two. */
  kind: Kind | undefined;
  notices: string[];
  /** The setup intent whose card is asked for. */
  intent: string;
  /** Whose sign-up it is, or what is typed in the form. */
  email: string;
  company: string;
  plan: string;
  /** The company of another sign-up that the page offers. */
  other: string | undefined;
}

const parser = new new JSDOM().window.DOMParser();

/** @param secret of the page's data, where its script has loaded them since */
export function shownBy(html: string, secret = /seti_\w+_secret_/.exec(html)?.[0] ?? ""): Shown {
  // Half of a page is what nobody reads.
  const readable = withoutStyle(html).replace(/<(script|datalist)\b.*?<\/\1>/gs, "");
  const document = parser.parseFromString(readable, "text/html");
  const words = (document.querySelector("main")?.textContent ?? "").replace(/\s+/g, " ");
  const found = (list: Record<string, string>) => Object.keys(list).filter((name) => words.includes(list[name] ?? ""));
  const kinds = found(KINDS);
  const [kind] = isKind(kinds[0]) && kinds.length === 1 ? [kinds[0]] : [];
  const value = (field: string) => document.querySelector(`#signup [name="${field}"]`)?.getAttribute("value") ?? "";
  const [, company, email] = /Signing up (.+?) with (\S+)\./.exec(words) ?? [];
  const detail = (term: string) =>
    [...document.querySelectorAll("dt")].find(({ textContent }) => textContent === term)?.nextElementSibling
      ?.textContent;
  return {
    document,
    html,
    words,
    kind,
    notices: found(NOTICES),
    intent: kind === "card" ? (secret.split("_secret_")[0] ?? "") : "",
    email: email ?? detail("Email") ?? value("email"),
    company: company ?? detail("Company") ?? value("company_name"),
    plan: value("package_id"),
    other: /You also started a sign-up for (.+?)\./.exec(words)?.[1],
  };
}

function isKind(name: string | undefined): name is Kind {
  return name !== undefined && name in KINDS;
}
