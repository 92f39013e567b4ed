import { parseCookie, stringifySetCookie } from "cookie";
import { DAY_MS, HOUR_MS } from "../../../contract/dates";
import { SIGN_UP_HOURS } from "../../../contract/trial";
import { randomToken } from "../../../pipeline/random-token.server";
import {
  type CurrentSession,
  type SignupSession,
  signupSession,
  type UnfinishedSession,
  unfinishedSession,
} from "../../session-state";
import { sealedTokens } from "./sealed-token.server";

const DAY_SECONDS = DAY_MS / 1000;
/** The cookie and the return token outlive their sign-up, so that the page can say that it has ended. */
const GRACE_MS = DAY_MS;
/** Longer than anyone keeps a form open. */
const NONCE_SECONDS = 2 * DAY_SECONDS;
const NONCE = /^[\w-]{22}$/;

/** Limits the name, value and attributes together: https://www.rfc-editor.org/rfc/rfc6265#section-6.1 */
const MAX_COOKIE_BYTES = 4096;

/** One cookie has the newest sign-up, encrypted. The other has a nonce, which makes two posts of a form one sign-up. */
export interface SignupSessions {
  /** True for any cookie with the session's name; cheaper than reading it. */
  isIn(request: Request): boolean;
  read(request: Request): Promise<CurrentSession>;
  /** Returns a Set-Cookie value, as do the next three methods. Leaves out fields that do not fit in a cookie. */
  write(session: SignupSession): Promise<string>;
  clear(): string;
  newNonce(): string;
  /** For a browser without one. The form's page is cached, so the header is added outside the cache. */
  missingNonce(request: Request): string | undefined;
  nonceIn(request: Request): string | undefined;
  /** Identifies a page's own sign-up after its card's setup, without personal data. */
  toReturnToken(session: UnfinishedSession): Promise<string>;
  fromReturnToken(token: string): Promise<UnfinishedSession | undefined>;
}

/** `secure` adds `Secure` and the `__Host-` prefix (RFC 6265bis). */
export function signupSessions(secrets: readonly string[], secure: boolean): SignupSessions {
  const prefix = secure ? "__Host-" : "";
  const [name, nonceName] = [`${prefix}signup`, `${prefix}form`];
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;
  const inCookie = sealedTokens(secrets, "cookie");
  const inReturn = sealedTokens(secrets, "return");

  const cookieIn = (request: Request, name: string) => parseCookie(request.headers.get("Cookie") ?? "")[name];
  const newNonce = () =>
    stringifySetCookie({ name: nonceName, value: randomToken(), ...attributes, maxAge: NONCE_SECONDS });
  const nonceIn = (request: Request) => NONCE.exec(cookieIn(request, nonceName) ?? "")?.[0];

  return {
    isIn: (request) => request.headers.get("Cookie")?.includes(`${name}=`) ?? false,
    async read(request) {
      const sealed = cookieIn(request, name);
      if (sealed === undefined) return { state: "none" };
      const kept = signupSession.safeParse(parsed(await inCookie.open(sealed))).data;
      return kept && isKept(kept) ? kept : { state: "unreadable" };
    },
    async write(session) {
      const maxAge = Math.ceil((session.expiresAt + GRACE_MS - Date.now()) / 1000);
      const cookieOf = async (kept: object) =>
        stringifySetCookie({ name, value: await inCookie.seal(JSON.stringify(kept)), ...attributes, maxAge });
      let kept: object = session;
      let cookie = await cookieOf(kept);
      for (const field of LEFT_OUT) {
        if (cookie.length <= MAX_COOKIE_BYTES) break;
        kept = { ...kept, [field]: undefined };
        cookie = await cookieOf(kept);
      }
      return cookie;
    },
    clear: () => stringifySetCookie({ name, value: "", ...attributes, maxAge: 0 }),
    newNonce,
    missingNonce: (request) => (nonceIn(request) === undefined ? newNonce() : undefined),
    nonceIn,
    toReturnToken: ({ key, requestId, packageId, terms, expiresAt, clientSecret, statusUrl }) =>
      inReturn.seal(JSON.stringify({ key, requestId, packageId, terms, expiresAt, clientSecret, statusUrl })),
    async fromReturnToken(token) {
      const returned = unfinishedSession.safeParse(parsed(await inReturn.open(token))).data;
      return returned && isKept(returned) ? returned : undefined;
    },
  };
}

/** Left out in this order until the cookie fits. A form with the longest values fits without the first field. */
const LEFT_OUT = ["message", "replaced", "details"];

/** In milliseconds since 1970. `apiEnd` is when the API ends the sign-up, if it says so. */
export function endOfSession(apiEnd = Number.POSITIVE_INFINITY): number {
  return Math.min(Date.now() + SIGN_UP_HOURS * HOUR_MS, apiEnd);
}

function isKept({ expiresAt }: { expiresAt: number }): boolean {
  return expiresAt + GRACE_MS > Date.now();
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}
