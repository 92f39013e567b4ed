import { fields } from "../person";
import type { RunningWorker } from "../workers/workers";

/** The nonce in the cookie of an opened form. */
export const NONCE = "a-nonce-of-22-letters-";

type SentHeaders = Record<string, string>;
export type SiteVisitor = ReturnType<typeof siteVisitor>;
export type Answer = Awaited<ReturnType<SiteVisitor["send"]>>;

/**
 * Sends requests as a browser on the site's own pages does, without following redirects. In every test, throws if an answer has
 * the password, or a header has a client secret.
 * @param origin the origin of the URL that the Worker sees, as behind Cloudflare's edge; by default, the site's own URL
 */
export function siteVisitor(site: RunningWorker, origin = site.url) {
  /** A header without a value is not sent. */
  async function send(method: string, path: string, given: SentHeaders = {}, content?: string) {
    const own = Object.entries(given).filter(([, value]) => value !== "");
    // Miniflare's own headers; the first one sets the URL that the Worker sees.
    const asked = [...own, ["MF-Original-URL", origin + path], ["MF-Disable-Pretty-Error", "true"]];
    const init = { method, headers: Object.fromEntries(asked), body: content, redirect: "manual" } as const;
    const response = await fetch(site.url + path, init);
    const { status, headers } = response;
    const body = await response.text();
    const head = JSON.stringify([...headers]);
    if (/S3ntinel|p%C3%A4ssword/.test(head + body) || /seti_\w+_secret/.test(head))
      throw new Error(`The answer to ${method} ${path} has the password or a secret`);
    /** The body with plain quotes and ampersands, as a visitor reads it. */
    const text = body.replaceAll("&#x27;", "'").replaceAll("&amp;", "&").replaceAll("<!-- -->", "");
    /** The session cookie for the next request; empty if there is none. */
    const cookie = pairsIn(headers).find((pair) => /^(__Host-)?signup=/.test(pair)) ?? "";
    return { status, headers, body, text, cookie };
  }

  /** Posts any body as the form, with the form's nonce in a cookie. */
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
