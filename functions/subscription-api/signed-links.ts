import { jwtVerify, SignJWT } from "jose";
import type { LinkConfig } from "./config";
import { readStatusToken, statusToken } from "./status-tokens";

const PATHS = {
  status: "/subscription/status",
  "verify-email": "/links/verify-email",
  "not-me": "/links/not-me",
} as const;

/** A token is valid for one purpose only. */
export type LinkPurpose = keyof typeof PATHS;

export type SignedLinks = {
  /** @param origin the API's public URL when absent */
  urlOf(purpose: LinkPurpose, signUpId: string, expires: Date, origin?: string): Promise<string>;
  /** Undefined if the token was altered, has expired or has another purpose. */
  read(purpose: LinkPurpose, token: string): Promise<string | undefined>;
};

export function signedLinks({ publicUrl, secrets }: LinkConfig): SignedLinks {
  const keys = secrets.map((secret) => new TextEncoder().encode(secret));
  return {
    async urlOf(purpose, signUpId, expires, origin = publicUrl) {
      const [[key], [secret]] = [keys, secrets];
      if (key === undefined || secret === undefined) throw new Error("There is no secret to sign with");
      if (purpose === "status") return `${origin}${PATHS.status}/${statusToken(secret, signUpId, expires)}`;
      const token = new SignJWT().setProtectedHeader({ alg: "HS256" }).setSubject(signUpId).setAudience(purpose);
      return `${origin}${PATHS[purpose]}/${await token.setExpirationTime(expires).sign(key)}`;
    },
    async read(purpose, token) {
      if (purpose === "status") return readStatusToken(secrets, token);
      for (const key of keys) {
        try {
          const { payload } = await jwtVerify(token, key, { audience: purpose, algorithms: ["HS256"] });
          return payload.sub;
        } catch {
          // Tries the next key.
        }
      }
      return undefined;
    },
  };
}
