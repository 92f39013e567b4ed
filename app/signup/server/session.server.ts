import { parseCookie, stringifySetCookie } from "cookie";
import { randomToken } from "../../pipeline/random-token.server";
import { type Pending, pendingSignUp, type SignupSession, signupSession } from "../steps";
import { sealedTokens } from "./sealed-token.server";

const DAY_MS = 24 * 60 * 60 * 1000;
const DAY_SECONDS = DAY_MS / 1000;
/** Cookie and return token outlive their sign-up, so that the page can say that it has ended. */
const GRACE_MS = DAY_MS;
/** Longer than any form is open. */
const NONCE_SECONDS = 2 * DAY_SECONDS;
const NONCE = /^[\w-]{22}$/;

/** `unreadable`: changed, sealed with an unknown secret, of another release, or too old. */
export type FoundSession = SignupSession | "none" | "unreadable";

/**
 * A browser's two cookies; the site stores nothing. One is encrypted and keeps the newest sign-up. The other has the form's
 * nonce: two posts of an equal form are one sign-up, and a browser that sends no cookie at all blocks them.
 */
export interface SignupSessions {
  /** True for any cookie with the session's name; cheaper than reading it. */
  isIn(request: Request): boolean;
  read(request: Request): Promise<FoundSession>;
  /** The value of a Set-Cookie header, as of the following three. */
  write(session: SignupSession): Promise<string>;
  clear(): string;
  newNonce(): string;
  /** A nonce for a browser without one, else undefined. The form's page is cached, so the header is added outside the cache. */
  missingNonce(request: Request): string | undefined;
  /** Undefined without a nonce, or with a malformed one. */
  nonceIn(request: Request): string | undefined;
  /** Identifies a page's own sign-up after its card's setup, without personal data. */
  toReturnToken(signUp: Pending): Promise<string>;
  fromReturnToken(token: string): Promise<Pending | undefined>;
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
      if (sealed === undefined) return "none";
      const session = signupSession.safeParse(parsed(await inCookie.open(sealed))).data;
      return session && isKept(session) ? session : "unreadable";
    },
    async write(session) {
      const value = await inCookie.seal(JSON.stringify(session));
      const maxAge = Math.ceil((session.expiresAt + GRACE_MS - Date.now()) / 1000);
      return stringifySetCookie({ name, value, ...attributes, maxAge });
    },
    clear: () => stringifySetCookie({ name, value: "", ...attributes, maxAge: 0 }),
    newNonce,
    missingNonce: (request) => (nonceIn(request) === undefined ? newNonce() : undefined),
    nonceIn,
    toReturnToken: ({ key, requestId, packageId, expiresAt, clientSecret, statusUrl }) =>
      inReturn.seal(JSON.stringify({ key, requestId, packageId, expiresAt, clientSecret, statusUrl })),
    async fromReturnToken(token) {
      const signUp = pendingSignUp.safeParse(parsed(await inReturn.open(token))).data;
      return signUp && isKept(signUp) ? signUp : undefined;
    },
  };
}

/** When a sign-up that is accepted now ends, if no card is set up. */
export function endOfSignUp(): number {
  return Date.now() + DAY_MS;
}

function isKept({ expiresAt }: { expiresAt: number }): boolean {
  return expiresAt + GRACE_MS > Date.now();
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}
