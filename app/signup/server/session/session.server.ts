import { parseCookie, stringifySetCookie } from "cookie";
import * as z from "zod/mini";
import { type CardSession, type OtherSignUp, type SignupSession, signupSession } from "../../steps";
import { sealedTokens } from "./sealed-token.server";

const SESSION_MS = 2 * 60 * 60 * 1000;
const SIGN_UP_MS = 24 * 60 * 60 * 1000;
export const RESUME_MS = 30 * 60 * 1000;
/** The cookie outlives its session, so that the page can say that it has expired. */
const COOKIE_GRACE_MS = 24 * 60 * 60 * 1000;
/** Browsers must keep cookies of up to 4,096 bytes (RFC 6265, section 6.1), attributes included. */
const MAX_COOKIE_LENGTH = 4096;
/** Limit within Stripe's `return_url`. */
const MAX_RETURN_LENGTH = 1500;
/** Long enough to allow cookies and send the form again. */
const DRAFT_MS = 10 * 60 * 1000;
/** The guard accepts URLs of up to 8,192 characters. */
const MAX_DRAFT_LENGTH = 6000;

export type FoundSession =
  | { status: "none" }
  /** Changed, sealed with an unknown secret, or past the end of its sign-up. */
  | { status: "unreadable" }
  | { status: "expired"; session: CardSession }
  | { status: "open"; session: SignupSession };

/** Keeps the sign-up in an encrypted cookie; the site stores nothing. */
export interface SignupSessions {
  /** True for any cookie with the session's name; cheaper than reading it. */
  isIn(request: Request): boolean;
  /** An empty cookie that proves to a later post that the browser accepts cookies; undefined if the request has one. */
  probe(request: Request): string | undefined;
  read(request: Request): Promise<FoundSession>;
  write(session: SignupSession): Promise<string>;
  clear(): string;
  toLinkToken(session: CardSession): Promise<string>;
  /** Undefined for a token that was changed or is expired. */
  fromLinkToken(token: string): Promise<CardSession | undefined>;
  /** Identifies the sign-up without the cookie, on the return from the bank or in a post. Fits in Stripe's `return_url`. */
  toReturnToken(session: CardSession): Promise<string>;
  fromReturnToken(token: string, maxAgeMs?: number): Promise<CardSession | undefined>;
  /** The form's values, for a browser that blocks cookies. */
  toDraftToken(draft: Draft): Promise<string>;
  fromDraftToken(token: string): Promise<Draft | undefined>;
}

const draft = z.object({ formNonce: z.string(), values: z.record(z.string(), z.string()) });

/** A posted form, without the passwords. */
type Draft = z.output<typeof draft>;

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

/** Back at the form: drops waiting states and flash messages of the card step. */
export function backAtForm(session: CardSession): CardSession {
  const { flash: _, kept: __, checks: ___, waitsFor: ____, aside: _____, ...rest } = session;
  return { ...rest, editing: true };
}

/** The fields that a later sign-up of this browser keeps; undefined if there is nothing to finish. */
export function besides(session: CardSession): OtherSignUp | undefined {
  const { key, clientSecret, requestId, statusUrl, account, address, resumed, expiresAt, endsAt, ended } = session;
  if (ended) return undefined;
  return { key, clientSecret, requestId, statusUrl, account, address, resumed, expiresAt, endsAt };
}

/** The browser's other sign-up at its card step, with the current one as its other; undefined without another. */
export function switched(session: SignupSession): CardSession | undefined {
  const { other } = session;
  if (!other) return undefined;
  return { step: "card", ...other, other: session.step === "card" ? besides(session) : undefined };
}

/** The browser's unfinished sign-ups, newest first. */
export function signUpsIn(found: FoundSession): OtherSignUp[] {
  if (!("session" in found)) return [];
  const { session } = found;
  const own = session.step === "card" ? besides(session) : undefined;
  return [own, session.other].filter((signUp): signUp is OtherSignUp => signUp !== undefined);
}

/** The newest unfinished sign-up that the one with this key does not replace. */
export function besideNew(found: FoundSession, key: string, now = Date.now()): OtherSignUp | undefined {
  return signUpsIn(found).find((signUp) => signUp.key !== key && signUp.expiresAt > now);
}

/** The session for the sign-up of a page, which may be older than the newest sign-up. */
export function aboutSignUp(found: FoundSession, key: string | undefined, now = Date.now()): FoundSession {
  if (!key || !("session" in found) || found.session.other?.key !== key) return found;
  const session = switched(found.session);
  if (!session) return found;
  return session.expiresAt <= now ? { status: "expired", session } : { status: "open", session };
}

/** `secure` adds `Secure` and the `__Host-` prefix (RFC 6265bis). The first secret seals, and all secrets open. */
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
  const inDraft = sealedTokens(secrets, "draft", now);
  const probeName = secure ? "__Host-cookies" : "cookies";

  async function cookieOf(session: SignupSession): Promise<string> {
    const value = await inCookie.seal(session, session.endsAt);
    const maxAge = Math.ceil((session.endsAt + COOKIE_GRACE_MS - now()) / 1000);
    return stringifySetCookie({ name, value, ...attributes, maxAge });
  }

  return {
    isIn(request) {
      return request.headers.get("Cookie")?.includes(name) ?? false;
    },
    probe(request) {
      const cookies = request.headers.get("Cookie") ?? "";
      if (cookies.includes(probeName) || cookies.includes(name)) return undefined;
      return stringifySetCookie({ name: probeName, value: "1", ...attributes });
    },
    async read(request) {
      const sealed = parseCookie(request.headers.get("Cookie") ?? "")[name];
      if (sealed === undefined) return { status: "none" };
      const session = sessionFrom(await inCookie.open(sealed));
      if (!session) return { status: "unreadable" };
      // Only the card step expires early; edits and successes last until the sign-up ends.
      const ends = session.step === "card" && !session.editing;
      return ends && session.expiresAt <= now() ? { status: "expired", session } : { status: "open", session };
    },
    async write(session) {
      let cookie = await cookieOf(session);
      for (const shorter of SHORTER) {
        if (cookie.length <= MAX_COOKIE_LENGTH) break;
        cookie = await cookieOf(shorter(session));
      }
      return cookie;
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
    async fromReturnToken(token, maxAgeMs) {
      return cardSessionFrom(await inReturn.open(token, maxAgeMs));
    },
    async toDraftToken(sent) {
      const token = await inDraft.seal(sent, now() + DRAFT_MS);
      return token.length <= MAX_DRAFT_LENGTH ? token : inDraft.seal({ ...sent, values: {} }, now() + DRAFT_MS);
    },
    async fromDraftToken(token) {
      return draft.safeParse(await inDraft.open(token)).data;
    },
  };
}

/** Another release may have sealed another shape. */
function sessionFrom(value: unknown): SignupSession | undefined {
  return signupSession.safeParse(value).data;
}

function cardSessionFrom(value: unknown): CardSession | undefined {
  const session = sessionFrom(value);
  return session?.step === "card" ? session : undefined;
}

/** Drops the state of the current page. */
function signUpOf({ clientSecret, statusUrl, key, account, address, expiresAt, endsAt }: CardSession): CardSession {
  return { step: "card", clientSecret, statusUrl, key, account, address, expiresAt, endsAt };
}

/** Shortens a session that is too long for a cookie, least important fields first. */
const SHORTER: ((session: SignupSession) => SignupSession)[] = [
  (session) => ({ ...session, other: session.other && { ...session.other, address: undefined } }),
  (session) => withoutAddress({ ...session, other: session.other && { ...session.other, address: undefined } }),
  (session) => withoutAddress({ ...session, other: undefined }),
];

function withoutAddress(session: SignupSession): SignupSession {
  return session.step === "card" ? { ...session, address: undefined } : session;
}
