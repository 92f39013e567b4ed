import { SIGNUP_CANCELED } from "../../../app/signup/notices";
import type { SignupReply, SignupStep } from "../../../app/signup/steps";
import { apiInProcess } from "../../support/api-in-process/api";
import { randomOf } from "../../support/random";
import { look, PATH, post, SITE_URL, type Site, siteContext } from "../../support/site-in-process/site-context";
import { eventOf, sign } from "../../support/stripe/stripe-events";

export type Form = Record<string, string>;
export type Fault = "refused" | "answer lost";
type Browser = ReturnType<typeof browserOf>;
export type World = Awaited<ReturnType<typeof worldOf>>;
export type Tab = World["tabs"][number];

/** The site, the API and Stripe, whose webhooks arrive at once, and two browsers with two tabs each. */
export async function worldOf(seed: number) {
  const told: { type: string; about: object; id: string }[] = [];
  const network: { fault?: Fault | undefined } = {};
  async function send(url: string, init: RequestInit) {
    const fault = init.method === "POST" ? network.fault : undefined;
    if (fault === "refused") throw new TypeError("fetch failed");
    const response = await api.ask(url, init, "site");
    await deliver();
    if (fault) throw new TypeError("fetch failed");
    return response;
  }
  const site = siteContext({ SUBSCRIPTION_API: { fetch: send } });
  // The API's `fetch` takes the place of the site's: both ask the same Stripe.
  const api = apiInProcess({ tell: (id, type, about) => void told.push({ id, type, about: { ...about } }) });
  async function deliver(): Promise<void> {
    for (let event = told.shift(); event; event = told.shift()) {
      const body = eventOf(event.type, event.about, event.id);
      await api.ask("/webhooks/stripe", { method: "POST", body, headers: { "stripe-signature": sign(body) } });
    }
    await api.settled();
  }
  const [first, second] = [browserOf(site), browserOf(site)];
  const sent: Form = {};
  /** `email` is the address of the sign-up that the tab is about, also where its page does not say it. */
  const tabIn = async (browser: Browser) => ({ browser, page: await browser.open(PATH), email: "", sent });
  const tabs = [await tabIn(first), await tabIn(first), await tabIn(second), await tabIn(second)] as const;
  const emails: [string, ...string[]] = [`visitor-${seed}-0@example.com`, `visitor-${seed}-1@example.com`];
  /** Email addresses whose card began a trial, and those of sign-ups by key: after a link a page says no name. */
  const [began, owners] = [new Set<string>(), new Map<string, string>()];
  return { api, deliver, network, random: randomOf(seed, "visitors"), tabs, emails, began, owners };
}

/** A browser: its cookies, and the page that a request leads to. */
function browserOf(site: Site) {
  const jar = new Map<string, string>();
  const browser = { keepsCookies: true, jar, open };
  async function ask(path: string, form?: Form) {
    const headers = { Cookie: [...jar].map((pair) => pair.join("=")).join("; ") };
    const answer = form
      ? { step: undefined, ...(await post(site, form, { path, headers })) }
      : { reply: undefined, ...(await look(site, { path, headers })) };
    // The pipeline's part, outside the page cache.
    const nonce = form ? undefined : site.sessions.missingNonce(new Request(SITE_URL, { headers }));
    for (const cookie of browser.keepsCookies ? [...answer.headers.getSetCookie(), nonce ?? []].flat() : []) {
      const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }
  async function open(path: string, form?: Form, redirects = 0): Promise<ReturnType<typeof pageOf>> {
    if (redirects > 4) throw new Error(`${path} leads in a circle`);
    const { sentTo, reply, ...answer } = await ask(path, form);
    if (typeof sentTo === "string") return open(sentTo, undefined, redirects + 1);
    // Remix renders the page of a post with its loader's data.
    const step = answer.step ?? (await ask(path)).step;
    if (!step) throw new Error("A reply's page redirects");
    return pageOf(path, step, reply);
  }
  return browser;
}

/** A page as a visitor reads it: whose sign-up it is or what the form is filled in with, and where it leads. */
function pageOf(path: string, step: SignupStep, reply?: SignupReply) {
  const filledIn = step.step === "form" ? step.draft : "details" in step ? step.details : undefined;
  const typed: Record<string, unknown> = reply?.form?.initialValue ?? filledIn ?? {};
  const kind = reply?.form ? "form" : step.step === "resume" ? step.state : step.step;
  const card = kind === "card" && step.step === "card" ? step : undefined;
  return {
    path,
    kind,
    notice: kind === "canceled" ? SIGNUP_CANCELED : reply?.notice,
    text: JSON.stringify(reply?.form ? reply : [step, reply]),
    email: String(typed.email ?? ""),
    company: String(typed.company_name ?? ""),
    plan: String(typed.package_id ?? ("packageId" in step ? step.packageId : "")),
    key: (kind !== "form" && "key" in step && step.key) || "",
    setupIntent: card?.clientSecret.split("_secret_")[0] ?? "",
    returnPath: card?.returnPath ?? "",
    link: card?.resumeLink?.url.slice(SITE_URL.length),
  };
}
