import { CARD_USED, type Notice, SIGNUP_CANCELED } from "../../../app/signup/notices";
import type { SignupReply, SignupStep } from "../../../app/signup/steps";
import { apiInProcess } from "../../support/api-in-process/api";
import { randomOf } from "../../support/random";
import { look, post, SITE_URL, siteContext } from "../../support/site-in-process/site-context";
import { eventOf, sign } from "../../support/stripe/stripe-events";

/* The model's browsers over the site's loader and action, the API and the model of Stripe in one process. */

const MAX_REDIRECTS = 4;

export type Form = Record<string, string>;

/** A page of the sign-up, as a visitor reads it. */
export interface Page {
  path: string;
  kind: SignupStep["step"];
  step: SignupStep;
  notices: Notice[];
  text: string;
  /** Whose sign-up it is, or what the form is filled in with. */
  email: string;
  company: string;
  plan: string;
  /** Of the sign-up that the page is about. */
  key: string | undefined;
}

export interface Tab {
  browser: ReturnType<typeof browserOf>;
  page?: Page;
  /** The email address of the sign-up that it is about, also where the page does not say it. */
  email: string;
  sent?: Form;
}

/** The site, the API and Stripe, whose webhooks arrive at once. */
export function worldOf(seed: number) {
  const told: { type: string; about: object; id: string }[] = [];
  /** Requests with these words fail, or their answers are lost. */
  const faults = new Map<string, "refused" | "answer lost">();
  const faultOf = (words: string) => [...faults].find(([broken]) => words.includes(broken))?.[1];
  async function send(url: string, init: RequestInit) {
    const fault = faultOf(String(init.body ?? ""));
    if (fault === "refused") throw new TypeError("fetch failed");
    const response = await api.ask(url, init, "site");
    await deliver();
    if (fault) throw new TypeError("fetch failed");
    return response;
  }
  const site = siteContext({ SUBSCRIPTION_API: { fetch: send } });
  // The API's `fetch` takes the place of the site's: both ask the same Stripe.
  const api = apiInProcess({
    tell: (id, type, about) => void told.push({ id, type, about: { ...about } }),
  });
  async function deliver(): Promise<void> {
    for (let event = told.shift(); event; event = told.shift()) {
      const body = eventOf(event.type, event.about, event.id);
      await api.ask("/webhooks/stripe", { method: "POST", body, headers: { "stripe-signature": sign(body) } });
    }
    await api.settled();
  }
  const browsers = [browserOf(site), browserOf(site)];
  return {
    api,
    deliver,
    faults,
    random: randomOf(seed, "visitors"),
    tabs: [0, 0, 1, 1].map((nth): Tab => ({ browser: browsers[nth] ?? browserOf(site), email: "" })),
    emails: [0, 1].map((nth) => `visitor-${seed}-${nth}@example.com`),
    /** Email addresses whose card began a trial, and those of sign-ups by key: after a link a page says no name. */
    began: new Set<string>(),
    owners: new Map<string, string>(),
  };
}
export type World = ReturnType<typeof worldOf>;

/** A browser: its cookies, and the page that a request leads to. */
function browserOf(site: ReturnType<typeof siteContext>) {
  const jar = new Map<string, string>();
  const browser = {
    keepsCookies: true,
    jar,
    async open(path: string, form?: Form): Promise<Page> {
      let [at, answer] = [path, await ask(path, form)];
      for (let redirects = 0; typeof answer.sentTo === "string"; redirects += 1) {
        if (redirects > MAX_REDIRECTS) throw new Error(`${path} leads in a circle`);
        [at, answer] = [answer.sentTo, await ask(answer.sentTo)];
      }
      // Remix renders the page of a post with its loader's data.
      const step = answer.step ?? (await ask(at)).step;
      if (!step) throw new Error("A reply's page redirects");
      return pageOf(at, step, answer.reply);
    },
  };
  async function ask(path: string, form?: Form) {
    const headers = { Cookie: [...jar].map((pair) => pair.join("=")).join("; ") };
    const visit = { path, headers };
    const answer = form
      ? { step: undefined, ...(await post(site, form, visit)) }
      : { reply: undefined, ...(await look(site, visit)) };
    const sent = answer.headers.getSetCookie();
    // The pipeline's part, outside the page cache.
    const nonce = form ? undefined : site.sessions.missingNonce(new Request(SITE_URL, { headers }));
    for (const cookie of browser.keepsCookies ? [...sent, ...(nonce ? [nonce] : [])] : []) {
      const [name = "", value = ""] = cookie.split(";")[0]?.split("=") ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }
  return browser;
}

function pageOf(path: string, step: SignupStep, reply?: SignupReply): Page {
  const returned = reply?.form?.initialValue;
  const values: Record<string, unknown> =
    returned ?? (step.step === "form" ? step.draft : "details" in step ? step.details : undefined) ?? {};
  const notices = [reply?.notice, step.step === "form" && !reply?.notice ? step.ended : undefined];
  if (step.step === "card" && step.flash === "card used") notices.push(CARD_USED);
  if (step.step === "resume" && step.state === "canceled") notices.push(SIGNUP_CANCELED);
  const kind = reply?.form ? "form" : step.step;
  return {
    path,
    kind,
    step,
    notices: notices.flatMap((notice) => notice ?? []),
    text: JSON.stringify(reply?.form ? reply : [step, reply]),
    email: String(values.email ?? ""),
    company: String(values.company_name ?? ""),
    plan: String(values.package_id ?? ("packageId" in step ? step.packageId : "")),
    key: kind !== "form" && "key" in step ? step.key : undefined,
  };
}
