import { findPlan } from "../../app/pricing/plans/plan-list";
import type { SignupReply, SignupStep } from "../../app/signup/steps";
import type { Backend, Form } from "./site-with-api";

/** A browser: its cookies, and the page that a request leads to. */
export function browserOf({ ask }: Backend) {
  const jar = new Map<string, string>();
  /** `card`: the client secret of its sign-up, as its last card step had it; empty once it is over or lost. `email`: its owner's. */
  const browser = { keepsCookies: true, jar, open, card: "", email: "" };
  async function open(path: string, form?: Form, redirects = 0): Promise<ReturnType<typeof pageOf>> {
    if (redirects > 4) throw new Error(`${path} leads in a circle`);
    const Cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    const { cookies, sentTo, step, reply } = await ask(path, { Cookie }, form);
    for (const cookie of browser.keepsCookies ? cookies : []) {
      const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    if (typeof sentTo === "string") return open(sentTo, undefined, redirects + 1);
    if (!step) throw new Error("There is no page");
    return pageOf(path, step, reply);
  }
  return browser;
}

/** A page as a visitor reads it: the sign-up's or the form's details, and the links. */
function pageOf(path: string, step: SignupStep, reply?: SignupReply) {
  const filledIn = step.step === "form" ? step.draft : "details" in step ? step.details : undefined;
  const typed: Record<string, unknown> = reply?.form?.initialValue ?? filledIn ?? {};
  const kind = reply?.form ? "form" : step.step === "resume" ? step.state : step.step;
  const card = kind === "card" && step.step === "card" ? step : undefined;
  return {
    path,
    kind,
    notice: reply?.notice,
    text: JSON.stringify(reply?.form ? reply : [step, reply]),
    email: String(typed.email ?? ""),
    company: String(typed.company_name ?? ""),
    plan: String(typed.package_id ?? ("packageId" in step ? step.packageId : "")),
    key: (kind !== "form" && "key" in step && step.key) || "",
    clientSecret: card?.clientSecret ?? "",
    isOpen: card !== undefined || (step.step === "form" && step.openPlan !== undefined && !reply?.isOver),
    returnPath: card?.returnPath ?? "",
    shown: shownOn(step, reply),
    isRetired: (reply?.planProblem ?? (step.step === "form" ? step.planProblem : undefined)) !== undefined,
    link: card?.resumeLink?.url.replace(/^https?:\/\/[^/]+/, ""),
  };
}

/** The price on a page, in cents; undefined if it has none. */
function shownOn(step: SignupStep, reply?: SignupReply): number | undefined {
  const posted = reply?.form && String(reply.form.initialValue?.package_id ?? "");
  const packageId = posted ?? ("packageId" in step ? step.packageId : "");
  let cents = "terms" in step ? step.terms.price_cents : undefined;
  if (posted !== undefined || step.step === "form") {
    const custom = step.step === "form" && packageId === step.packageId ? step.currentPriceCents : undefined;
    cents = reply?.currentTerms?.price_cents ?? reply?.shownTerms?.price_cents ?? custom;
  } else if (!("terms" in step)) return undefined;
  return findPlan(packageId, cents)?.shownPriceCents ?? undefined;
}
