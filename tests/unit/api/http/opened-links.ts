import { JSDOM } from "jsdom";
import { type LinkPurpose, signedLinks } from "../../../../functions/subscription-api/signed-links";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW } from "../../../support/clock";
import { configurationOf } from "../sign-ups/sign-ups";

/* A link of an email, and the page that it opens. */

export const CONFIRMED = "Your email address is confirmed";
export const ENDED = "This sign-up has ended";
export const REFUSED = "This link doesn’t work";

/** A trial that has begun, and links for it. */
export async function onTrial() {
  const api = apiInProcess();
  const id = await api.onTrial();
  const links = signedLinks(configurationOf(api.env).links);
  const linkTo = (purpose: LinkPurpose, signUpId = id) => links.urlOf(purpose, signUpId, new Date(NOW + DAY));
  return {
    ...api,
    linkTo,
    tokenFor: (purpose: LinkPurpose, signUpId = id) => linkTo(purpose, signUpId).split("/").at(-1) ?? "",
    async open(url: string, method = "GET") {
      const page = await shown(await api.ask(url, { method }));
      await api.settled();
      return page;
    },
    signUp: () => api.rows("SELECT status, end_reason, email_verified_at FROM sign_ups")[0],
    messages: (kind: string) => api.rows("SELECT state FROM outbox WHERE kind = ?", kind),
  };
}

export async function shown(response: Response) {
  const text = await response.text();
  const { document } = new JSDOM(text).window;
  const paragraphs = [...document.querySelectorAll("p")].map((paragraph) => paragraph.textContent);
  return {
    status: response.status,
    headers: response.headers,
    text,
    document,
    heading: headingsOf(document).join(),
    paragraphs,
  };
}

export const headingsOf = (document: Document) =>
  [...document.querySelectorAll("h1")].map((heading) => heading.textContent);
