import type { RunningWorker } from "../workers/workers";
import { sendRaw } from "./raw-request";

const FORM = "application/x-www-form-urlencoded";

/** A browser that has seen the form. */
const FORM_COOKIE = "form=a-nonce-of-22-letters-";

/** A password and a client_secret, which may appear only upstream. */
export const PASSWORD = "S3ntinel pässword! ";
export const SECRET = "seti_1Sentinel_secret_Sentinel";

/** A sign-up as the form posts it. */
export const fields = {
  package_id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430",
  full_name: "Ada Lovelace",
  company_name: "Engines & Sons",
  email: "Ada@Example.com",
  phone: "(212) 555-0123",
  password: PASSWORD,
  confirmPassword: PASSWORD,
  address: "1 Example Street",
  city: "Springfield",
  state: "IL",
  zipCode: "62701",
  country: "United States",
};

/** In the cookie of a form that was opened. */
export const NONCE = "a-nonce-of-22-letters-";

const { password: _, confirmPassword: __, ...withoutPasswords } = fields;
/** The values that a returned form keeps. */
export const typed = withoutPasswords;

/** A response with its whole body. */
export type Answer = {
  status: number;
  headers: Headers;
  /** As it was sent. */
  body: string;
  /** The page's words as a visitor reads them. */
  text: string;
  /** The session's cookie for the next request; empty if the response sets none. */
  cookie: string;
};

type SentHeaders = Record<string, string>;

export type SiteVisitor = {
  send(method: string, path: string, headers?: SentHeaders, body?: string): Promise<Answer>;
  get(path: string, headers?: SentHeaders): Promise<Answer>;
  head(path: string, headers?: SentHeaders): Promise<Answer>;
  /** Sends the form as a browser without JavaScript does. */
  submit(change?: Record<string, string>, headers?: SentHeaders, path?: string): Promise<Answer>;
  /** Sends any body as the form. Its browser keeps cookies, so that it has the form's nonce. */
  post(body: string, headers?: SentHeaders, path?: string): Promise<Answer>;
};

/**
 * Sends requests as a browser on the site's own pages does; follows no redirect. An answer that has the password, or a client
 * secret in a header, is an error in every test.
 * @param origin under which the site is asked, as Cloudflare's edge hands requests to the Worker; where it listens when absent
 */
export function siteVisitor(site: RunningWorker, origin = site.url): SiteVisitor {
  const exchange = origin === site.url ? overTheWire : throughTheEdge;

  async function overTheWire(method: string, path: string, sent: SentHeaders, body?: string) {
    return sendRaw(site.url, { method, path, headers: Object.entries(sent), ...(body !== undefined && { body }) });
  }

  async function throughTheEdge(method: string, path: string, headers: SentHeaders, body?: string) {
    const init = { method, headers, redirect: "manual" as const, ...(body !== undefined && { body }) };
    const response = await site.mf.dispatchFetch(origin + path, init);
    return { status: response.status, headers: new Headers([...response.headers]), body: await response.text() };
  }

  /** A header without a value is not sent. */
  async function send(method: string, path: string, given: SentHeaders = {}, content?: string): Promise<Answer> {
    const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
    const { status, headers, body } = await exchange(method, path, sent, content);
    const head = JSON.stringify([...headers]);
    if (/S3ntinel|p%C3%A4ssword/.test(head + body) || /seti_\w+_secret/.test(head))
      throw new Error(`The answer to ${method} ${path} has the password or a secret`);
    return {
      status,
      headers,
      body,
      text: body.replaceAll("&#x27;", "'").replaceAll("&amp;", "&").replaceAll("<!-- -->", ""),
      cookie: pairsIn(headers).find((pair) => /^(__Host-)?signup=/.test(pair)) ?? "",
    };
  }

  const visitor: SiteVisitor = {
    send,
    get: (path, headers) => send("GET", path, headers),
    head: (path, headers) => send("HEAD", path, headers),
    submit: (change = {}, headers = {}, path = "/subscription") =>
      visitor.post(new URLSearchParams({ ...fields, ...change }).toString(), headers, path),
    post: (body, headers = {}, path = "/subscription") => {
      const own = { "Content-Type": FORM, Origin: origin, "Sec-Fetch-Site": "same-origin", Cookie: FORM_COOKIE };
      const length = { "Content-Length": String(Buffer.byteLength(body)) };
      const cookie = { Cookie: origin.startsWith("https:") ? `__Host-form=${NONCE}` : `form=${NONCE}` };
      return send("POST", path, { ...own, ...cookie, ...length, ...headers }, body);
    },
  };
  return visitor;
}

/** A browser's headers for the site's own form, for `sendRaw`. */
export function formHeaders(origin: string): [name: string, value: string][] {
  return [
    ["Origin", origin],
    ["Sec-Fetch-Site", "same-origin"],
    ["Content-Type", FORM],
  ];
}

/** Name and value of each cookie that a response sets. */
export function pairsIn(headers: Headers): string[] {
  return headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
}

/** Where the card step's script goes after a card's setup. */
export function returnPathIn({ body }: Answer): string {
  return /\\"returnPath\\",\\"([^"\\]+)/.exec(body)?.[1] ?? "";
}

/** A Worker's log so far, one line per event. */
export function logged(worker: RunningWorker): string {
  return worker.logs.map((line) => JSON.stringify(line)).join("\n");
}

/** A page without its stylesheet, which is the same whatever was sent. */
export function withoutStyle(html: string): string {
  return html.replace(/<style[^>]*>.*?<\/style>/s, "");
}
