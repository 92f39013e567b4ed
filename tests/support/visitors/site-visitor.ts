import { fields } from "../person";
import type { RunningWorker } from "../workers/workers";

/** In the cookie of a form that was opened. */
export const NONCE = "a-nonce-of-22-letters-";

type SentHeaders = Record<string, string>;
export type SiteVisitor = ReturnType<typeof siteVisitor>;
export type Answer = Awaited<ReturnType<SiteVisitor["send"]>>;

/**
 * Sends requests as a browser on the site's own pages does; follows no redirect. An answer that has the password, or a client
 * secret in a header, is an error in every test.
 * @param origin under which the site is asked, as Cloudflare's edge hands requests to the Worker; where it listens when absent
 */
export function siteVisitor(site: RunningWorker, origin = site.url) {
  /** A header without a value is not sent. */
  async function send(method: string, path: string, given: SentHeaders = {}, content?: string) {
    const own = Object.entries(given).filter(([, value]) => value !== "");
    // Miniflare's own, for the URL that the Worker sees.
    const asked = [...own, ["MF-Original-URL", origin + path], ["MF-Disable-Pretty-Error", "true"]];
    const init = { method, headers: Object.fromEntries(asked), body: content, redirect: "manual" } as const;
    const response = await fetch(site.url + path, init);
    const { status, headers } = response;
    const body = await response.text();
    const head = JSON.stringify([...headers]);
    if (/S3ntinel|p%C3%A4ssword/.test(head + body) || /seti_\w+_secret/.test(head))
      throw new Error(`The answer to ${method} ${path} has the password or a secret`);
    /** As a visitor reads its quotes and ampersands. */
    const text = body.replaceAll("&#x27;", "'").replaceAll("&amp;", "&").replaceAll("<!-- -->", "");
    /** The session's, for the next request; empty if there is none. */
    const cookie = pairsIn(headers).find((pair) => /^(__Host-)?signup=/.test(pair)) ?? "";
    return { status, headers, body, text, cookie };
  }

  /** Sends any body as the form. Its browser keeps cookies, so that it has the form's nonce. */
  function post(body: string, headers: SentHeaders = {}, path = "/subscription") {
    const Cookie = `${origin.startsWith("https:") ? "__Host-" : ""}form=${NONCE}`;
    return send("POST", path, { ...formHeaders(origin), Cookie, ...headers }, body);
  }

  return {
    send,
    get: (path: string, headers?: SentHeaders) => send("GET", path, headers),
    post,
    /** Sends the form as a browser without JavaScript does. */
    submit: (change: Record<string, string> = {}, headers?: SentHeaders, path?: string) =>
      post(new URLSearchParams({ ...fields, ...change }).toString(), headers, path),
  };
}

/** A browser's headers for the site's own form. */
export const formHeaders = (origin: string) => {
  return { Origin: origin, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded" };
};

/** Name and value of each cookie that a response sets. */
export const pairsIn = (headers: Headers) => headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
