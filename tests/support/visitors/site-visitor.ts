import type { RunningWorker } from "../workers/workers";
import { sendRaw } from "./raw-request";

/** A password and a client_secret, which may appear only upstream. */
export const PASSWORD = "S3ntinel pässword! ";
export const SECRET = "seti_1Sentinel_secret_Sentinel";

/** In the cookie of a form that was opened. */
export const NONCE = "a-nonce-of-22-letters-";

/** The values that a returned form keeps. */
export const typed = {
  ...{ package_id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", full_name: "Ada Lovelace", company_name: "Engines & Sons" },
  ...{ email: "Ada@Example.com", phone: "(212) 555-0123", address: "1 Example Street", city: "Springfield" },
  ...{ state: "IL", zipCode: "62701", country: "United States" },
};

/** A sign-up as the form posts it. */
export const fields = { ...typed, password: PASSWORD, confirmPassword: PASSWORD };

type SentHeaders = Record<string, string>;
export type SiteVisitor = ReturnType<typeof siteVisitor>;
export type Answer = Awaited<ReturnType<SiteVisitor["send"]>>;

/**
 * Sends requests as a browser on the site's own pages does; follows no redirect. An answer that has the password, or a client
 * secret in a header, is an error in every test.
 * @param origin under which the site is asked, as Cloudflare's edge hands requests to the Worker; where it listens when absent
 */
export function siteVisitor(site: RunningWorker, origin = site.url) {
  async function throughTheEdge(method: string, path: string, headers: SentHeaders, body?: string) {
    const response = await site.mf.dispatchFetch(origin + path, { method, headers, redirect: "manual", body });
    return { status: response.status, headers: new Headers([...response.headers]), body: await response.text() };
  }

  /** A header without a value is not sent. */
  async function send(method: string, path: string, given: SentHeaders = {}, content?: string) {
    const own = Object.entries(given).filter(([, value]) => value !== "");
    const { status, headers, body } =
      origin === site.url
        ? await sendRaw(site.url, { method, path, headers: own, body: content })
        : await throughTheEdge(method, path, Object.fromEntries(own), content);
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
    const own = { ...Object.fromEntries(formHeaders(origin)), Cookie };
    return send("POST", path, { ...own, "Content-Length": String(Buffer.byteLength(body)), ...headers }, body);
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

/** A browser's headers for the site's own form, for `sendRaw`. */
export const formHeaders = (origin: string): [name: string, value: string][] => [
  ["Origin", origin],
  ["Sec-Fetch-Site", "same-origin"],
  ["Content-Type", "application/x-www-form-urlencoded"],
];

/** Name and value of each cookie that a response sets. */
export const pairsIn = (headers: Headers) => headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");

/** Where the card step's script goes after a card's setup. */
export const returnPathIn = ({ body }: Answer) => /\\"returnPath\\",\\"([^"\\]+)/.exec(body)?.[1] ?? "";

/** A Worker's log so far, one line per event. */
export const logged = ({ logs }: RunningWorker) => logs.map((line) => JSON.stringify(line)).join("\n");
