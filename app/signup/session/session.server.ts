import { parseCookie, stringifySetCookie } from "cookie";
import { type SignupSession, signupSession } from "../steps";
import { sealFor } from "./sealed-token.server";

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

/**
 * @param secret at least 32 characters
 * @param secure whether the site is served over https: then the cookie is `Secure` and has the `__Host-` prefix (RFC 6265bis)
 */
export function signupSessions(secret: string, secure: boolean): SignupSessions {
  const name = secure ? "__Host-signup" : "signup";
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;

  // Each for one purpose: a link's token is no cookie, which would outlive it.
  const inCookie = sealFor(secret, "signup-session:cookie");
  const inToken = sealFor(secret, "signup-session:token");

  return {
    async read(request) {
      const sealed = parseCookie(request.headers.get("Cookie") ?? "")[name];
      if (sealed === undefined) return "none";
      return sessionFrom(await inCookie.open(sealed)) ?? "broken";
    },
    async write(session) {
      const value = await inCookie.close(session, SESSION_SECONDS);
      return stringifySetCookie({ name, value, ...attributes, maxAge: SESSION_SECONDS });
    },
    clear() {
      return stringifySetCookie({ name, value: "", ...attributes, maxAge: 0 });
    },
    toToken(session) {
      // Without the address: the link has to fit into a QR code that a phone can read.
      const short = session.step === "card" ? { ...session, address: undefined } : session;
      return inToken.close(short, CONTINUE_SECONDS);
    },
    async fromToken(token) {
      return sessionFrom(await inToken.open(token));
    },
  };
}

/** A session that another release of the site sealed may have another shape. */
function sessionFrom(value: unknown): SignupSession | undefined {
  return signupSession.safeParse(value).data;
}
