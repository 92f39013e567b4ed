import { parseCookie, stringifySetCookie } from "cookie";
import { defaults, seal, unseal } from "iron-webcrypto";
import * as z from "zod/mini";

/** How long a sign-up waits for its card, and a success can be read again. */
const SESSION_SECONDS = 2 * 60 * 60;
const CONTINUE_SECONDS = 30 * 60;

const account = z.object({
  companyName: z.string(),
  fullName: z.string(),
  email: z.string(),
  phone: z.string(),
  packageId: z.optional(z.string()),
});
const billingAddress = z.object({
  line1: z.string(),
  city: z.string(),
  state: z.string(),
  postalCode: z.string(),
  country: z.string(),
});

const signupSession = z.discriminatedUnion("step", [
  z.object({ step: z.literal("card"), clientSecret: z.string(), account, address: z.optional(billingAddress) }),
  z.object({ step: z.literal("done"), account }),
]);

/** Where an accepted sign-up stands. The form itself keeps nothing. */
export type SignupSession = z.output<typeof signupSession>;
export type Account = z.output<typeof account>;
export type BillingAddress = z.output<typeof billingAddress>;

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

  async function open(sealed: string, purpose: "cookie" | "token"): Promise<SignupSession | undefined> {
    try {
      return signupSession.parse(await unseal(sealed, `${purpose}:${secret}`, defaults));
    } catch {
      return undefined;
    }
  }

  function close(session: SignupSession, purpose: "cookie" | "token", seconds: number): Promise<string> {
    return seal(session, `${purpose}:${secret}`, { ...defaults, ttl: seconds * 1000 });
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
