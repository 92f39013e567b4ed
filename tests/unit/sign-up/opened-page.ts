import type { SignupSession } from "../../../app/signup/session-state";
import { look, type Site, siteContext } from "../../support/site-in-process/site-context";

/* Answers of Stripe and the API, and the page that a browser gets while they answer so. */

/** Answers of Stripe and the API. `stripeStatus` is 200 by default. */
export interface Answers {
  stripe?: object;
  stripeStatus?: number;
  api?: object;
}

export interface PageCase extends Answers {
  name: string;
  cookie?: SignupSession | "unreadable";
  path: string;
  page: object;
  /** The cookie after the request. */
  keeps?: object | "cleared";
}

export const SUCCEEDED = { status: "succeeded", payment_method: { card: { brand: "visa", last4: "4242" } } };
export const TRIAL: Answers = { stripe: SUCCEEDED, api: { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" } };
export const CARD_USED: Answers = { stripe: SUCCEEDED, api: { status: "card_used", client_secret: "seti_2_secret_2" } };
export const ENDED_AT_API: Answers = { stripe: SUCCEEDED, api: { status: "ended" } };
export const PROCESSING: Answers = { stripe: { status: "processing" } };
export const UNREACHABLE: Answers = { stripeStatus: 500 };
export const DECLINED: Answers = {
  stripe: { status: "requires_payment_method", last_setup_error: { message: "Insufficient funds" } },
};
export const STRIPE_CANCELED: Answers = { stripe: { status: "canceled" } };
export const UNKNOWN_SECRET: Answers = { stripeStatus: 404 };

export function siteThatAnswers({ stripe, stripeStatus = 200, api = {} }: Answers = {}): Site {
  const site = siteContext();
  Object.assign(site.stripe, { status: stripeStatus, ...(stripe && { says: stripe }) });
  site.api.status = () => Response.json(api);
  return site;
}

/** Opens a page in a browser with this sign-up, or with a cookie that cannot be read. */
export function open(site: Site, cookie: SignupSession | "unreadable" | undefined, path: string) {
  if (cookie === "unreadable") return look(site, { path, headers: { Cookie: "__Host-signup=changed" } });
  return look(site, { path, session: cookie });
}
