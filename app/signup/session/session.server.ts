import { parseCookie, stringifySetCookie } from "cookie";
import { type SignupSession, signupSession } from "../steps";
import { sealedTokens } from "./sealed-token.server";

/** How long a sign-up waits for its card, and a success can be read again. */
const SESSION_SECONDS = 2 * 60 * 60;
const RESUME_SECONDS = 30 * 60;

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
 * @param secrets at least 32 characters each; the first seals, all of them open
 * @param secure whether the site is served over https: then the cookie is `Secure` and has the `__Host-` prefix (RFC 6265bis)
 */
export function signupSessions(secrets: readonly string[], secure: boolean): SignupSessions {
  const name = secure ? "__Host-signup" : "signup";
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;

  // A token of a link is no cookie, which would outlive it.
  const inCookie = sealedTokens(secrets, "cookie");
  const inLink = sealedTokens(secrets, "resume-link");

  return {
    async read(request) {
      const sealed = parseCookie(request.headers.get("Cookie") ?? "")[name];
      if (sealed === undefined) return "none";
      return sessionFrom(await inCookie.open(sealed)) ?? "broken";
    },
    async write(session) {
      const value = await inCookie.seal(session, SESSION_SECONDS);
      return stringifySetCookie({ name, value, ...attributes, maxAge: SESSION_SECONDS });
    },
    clear() {
      return stringifySetCookie({ name, value: "", ...attributes, maxAge: 0 });
    },
    toToken(session) {
      // Without the address: the link has to fit into a QR code that a phone can read.
      const short = session.step === "card" ? { ...session, address: undefined } : session;
      return inLink.seal(short, RESUME_SECONDS);
    },
    async fromToken(token) {
      return sessionFrom(await inLink.open(token));
    },
  };
}

/** Another release of the site may have sealed a session of another shape. */
function sessionFrom(value: unknown): SignupSession | undefined {
  return signupSession.safeParse(value).data;
}
