import { parseCookie, stringifySetCookie } from "cookie";
import { type SignupSession, signupSession } from "../steps";
import { sealedTokens } from "./sealed-token.server";

const SESSION_SECONDS = 2 * 60 * 60;
const RESUME_SECONDS = 30 * 60;

/** Keeps the sign-up in an encrypted cookie; the site stores nothing. */
export interface SignupSessions {
  /** `broken`: the cookie is invalid or has expired. */
  read(request: Request): Promise<SignupSession | "none" | "broken">;
  write(session: SignupSession): Promise<string>;
  clear(): string;
  toToken(session: SignupSession): Promise<string>;
  fromToken(token: string): Promise<SignupSession | undefined>;
}

/** `secure` adds `Secure` and the `__Host-` prefix (RFC 6265bis). The first secret seals, each of them opens. */
export function signupSessions(secrets: readonly string[], secure: boolean): SignupSessions {
  const name = secure ? "__Host-signup" : "signup";
  const attributes = { httpOnly: true, sameSite: "lax", path: "/", secure } as const;

  // Separate audiences: a resume link must not be usable as a cookie, which is valid for longer.
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
      // Without the billing address, to keep the QR code readable for phones.
      const short = session.step === "card" ? { ...session, address: undefined } : session;
      return inLink.seal(short, RESUME_SECONDS);
    },
    async fromToken(token) {
      return sessionFrom(await inLink.open(token));
    },
  };
}

/** Another release may have sealed a session of another shape. */
function sessionFrom(value: unknown): SignupSession | undefined {
  return signupSession.safeParse(value).data;
}
