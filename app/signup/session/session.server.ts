import { parseCookie, stringifySetCookie } from "cookie";
import { type CardSession, type SignupSession, signupSession } from "../steps";
import { sealedTokens } from "./sealed-token.server";

const SESSION_MS = 2 * 60 * 60 * 1000;
const SIGN_UP_MS = 24 * 60 * 60 * 1000;
const RESUME_MS = 30 * 60 * 1000;
/** The cookie outlives its session, so that the visitor can be told that it has ended. */
const COOKIE_GRACE_MS = 24 * 60 * 60 * 1000;
/** Browsers must keep cookies of up to 4,096 bytes (RFC 6265, section 6.1), attributes included. */
const MAX_COOKIE_LENGTH = 4096;
/** It goes into Stripe's `return_url`. */
const MAX_RETURN_LENGTH = 1500;

export type FoundSession =
  | { status: "none" }
  /** Changed, sealed with an unknown secret, or past the end of its sign-up. */
  | { status: "unreadable" }
  | { status: "expired"; session: CardSession }
  | { status: "open"; session: SignupSession };

/** Keeps the sign-up in an encrypted cookie; the site stores nothing. */
export interface SignupSessions {
  /** Whether a request may bring a session along: cheaper than to read it, and true for any cookie of such a name. */
  isIn(request: Request): boolean;
  read(request: Request): Promise<FoundSession>;
  write(session: SignupSession): Promise<string>;
  clear(): string;
  toLinkToken(session: CardSession): Promise<string>;
  /** Undefined when the token is changed or has expired. */
  fromLinkToken(token: string): Promise<CardSession | undefined>;
  /** For the way back from the bank, or from an open page, without the cookie. Short enough for Stripe's `return_url`. */
  toReturnToken(session: CardSession): Promise<string>;
  fromReturnToken(token: string): Promise<CardSession | undefined>;
}

interface Lifetime {
  expiresAt: number;
  endsAt: number;
}

export function newLifetime(now = Date.now()): Lifetime {
  return { expiresAt: now + SESSION_MS, endsAt: now + SIGN_UP_MS };
}

/** Two hours from now, but never past the end of the sign-up. */
export function renewed<Session extends Lifetime>(session: Session, now = Date.now()): Session {
  return { ...session, expiresAt: Math.min(now + SESSION_MS, session.endsAt) };
}

/** The visitor edits the details; nothing of the card step is waited for or told any more. */
export function backAtForm({ news: _, checks: __, waitsFor: ___, ...session }: CardSession): CardSession {
  return { ...session, editing: true };
}

/** `secure` adds `Secure` and the `__Host-` prefix (RFC 6265bis). The first secret seals, each of them opens. */
export function signupSessions(
  secrets: readonly string[],
  secure: boolean,
  now: () => number = Date.now,
): SignupSessions {
  const name = secure ? "__Host-signup" : "signup";
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;

  // Separate audiences: a resume link must not be usable as a cookie, which is valid for longer.
  const inCookie = sealedTokens(secrets, "cookie", now);
  const inLink = sealedTokens(secrets, "resume-link", now);
  const inReturn = sealedTokens(secrets, "return", now);

  async function cookieOf(session: SignupSession): Promise<string> {
    const value = await inCookie.seal(session, session.endsAt);
    const maxAge = Math.ceil((session.endsAt + COOKIE_GRACE_MS - now()) / 1000);
    return stringifySetCookie({ name, value, ...attributes, maxAge });
  }

  return {
    isIn(request) {
      return request.headers.get("Cookie")?.includes(name) ?? false;
    },
    async read(request) {
      const sealed = parseCookie(request.headers.get("Cookie") ?? "")[name];
      if (sealed === undefined) return { status: "none" };
      const session = sessionFrom(await inCookie.open(sealed));
      if (!session) return { status: "unreadable" };
      // Only the card step ends early: what was edited and what was achieved stays until the end of the sign-up.
      const ends = session.step === "card" && !session.editing;
      return ends && session.expiresAt <= now() ? { status: "expired", session } : { status: "open", session };
    },
    async write(session) {
      const cookie = await cookieOf(session);
      return cookie.length > MAX_COOKIE_LENGTH ? cookieOf(withoutAddress(session)) : cookie;
    },
    clear() {
      return stringifySetCookie({ name, value: "", ...attributes, maxAge: 0 });
    },
    toLinkToken(session) {
      return inLink.seal(signUpOf(session), Math.min(now() + RESUME_MS, session.endsAt));
    },
    async fromLinkToken(token) {
      return cardSessionFrom(await inLink.open(token));
    },
    async toReturnToken(session) {
      const { account, address: _, ...rest } = signUpOf(session);
      const token = await inReturn.seal({ ...rest, account }, session.endsAt);
      return token.length <= MAX_RETURN_LENGTH ? token : inReturn.seal(rest, session.endsAt);
    },
    async fromReturnToken(token) {
      return cardSessionFrom(await inReturn.open(token));
    },
  };
}

/** Another release may have sealed a session of another shape. */
function sessionFrom(value: unknown): SignupSession | undefined {
  return signupSession.safeParse(value).data;
}

function cardSessionFrom(value: unknown): CardSession | undefined {
  const session = sessionFrom(value);
  return session?.step === "card" ? session : undefined;
}

/** Without what belongs to the page that the visitor is at. */
function signUpOf({ clientSecret, statusUrl, key, account, address, expiresAt, endsAt }: CardSession): CardSession {
  return { step: "card", clientSecret, statusUrl, key, account, address, expiresAt, endsAt };
}

function withoutAddress(session: SignupSession): SignupSession {
  return session.step === "card" ? { ...session, address: undefined } : session;
}
