import { parseCookie, stringifySetCookie } from "cookie";
import { defaults, seal, unseal } from "iron-webcrypto";
import { type SealingKeys, sealingKeys } from "./sealing-keys.server";
import { type SignupSession, signupSession } from "./steps";

/** How long a sign-up waits for its card, and a success can be read again. */
const SESSION_SECONDS = 2 * 60 * 60;
const CONTINUE_SECONDS = 30 * 60;

/** The sign-up in the visitor's own, encrypted cookie: the site stores nothing. */
export interface SignupSessions {
  /** The session that a request carries; `broken` when it has a cookie that is no session (any more). */
  read(request: Request): Promise<SignupSession | "none" | "broken">;
  /** A Set-Cookie value that starts or moves on the session. */
  write(session: SignupSession): Promise<string>;
  /** A Set-Cookie value that ends it. */
  clear(): string;
  /** A short-lived token with which another device takes over the card step. */
  toToken(session: SignupSession): Promise<string>;
  fromToken(token: string): Promise<SignupSession | undefined>;
}

type Purpose = "cookie" | "token";

/**
 * @param secret at least 32 characters
 * @param secure whether the site is served over https: then the cookie is `Secure` and has the `__Host-` prefix (RFC 6265bis)
 */
export function signupSessions(secret: string, secure: boolean): SignupSessions {
  const name = secure ? "__Host-signup" : "signup";
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;

  const keys = new Map<Purpose, SealingKeys>();

  async function keysFor(purpose: Purpose): Promise<SealingKeys> {
    const known = keys.get(purpose) ?? (await sealingKeys(secret, `signup-session:${purpose}`));
    keys.set(purpose, known);
    return known;
  }

  async function open(sealed: string, purpose: Purpose): Promise<SignupSession | undefined> {
    try {
      return signupSession.parse(await unseal(sealed, { default: await keysFor(purpose) }, defaults));
    } catch {
      return undefined;
    }
  }

  async function close(session: SignupSession, purpose: Purpose, seconds: number): Promise<string> {
    return seal(session, await keysFor(purpose), { ...defaults, ttl: seconds * 1000, encode: JSON.stringify });
  }

  return {
    async read(request) {
      const sealed = parseCookie(request.headers.get("Cookie") ?? "")[name];
      if (sealed === undefined) return "none";
      return (await open(sealed, "cookie")) ?? "broken";
    },
    async write(session) {
      const value = await close(session, "cookie", SESSION_SECONDS);
      return stringifySetCookie({ name, value, ...attributes, maxAge: SESSION_SECONDS });
    },
    clear() {
      return stringifySetCookie({ name, value: "", ...attributes, maxAge: 0 });
    },
    toToken(session) {
      // Without the address: the link has to fit into a QR code that a phone can read.
      const short = session.step === "card" ? { ...session, address: undefined } : session;
      return close(short, "token", CONTINUE_SECONDS);
    },
    fromToken(token) {
      return open(token, "token");
    },
  };
}
