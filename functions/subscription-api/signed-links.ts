import { createHmac, timingSafeEqual } from "node:crypto";
import type { LinkConfig } from "./config";

const PATHS = {
  status: "/subscription/status",
  "verify-email": "/links/verify-email",
  "not-me": "/links/not-me",
} as const;

/** What a link is for. Its token works for nothing else. */
export type LinkPurpose = keyof typeof PATHS;

export type SignedLinks = ReturnType<typeof signedLinks>;

/** How long the links in emails work after the sign-up. An email that is sent again has the same links. */
export const LINK_DAYS = 30;

const EXPIRY_BYTES = 4;
const ID_BYTES = 16;
/** 96 bits of the HMAC are enough: https://csrc.nist.gov/pubs/sp/800/107/r1/final, section 5.3.3 */
const MAC_BYTES = 12;

/** A token has the expiry in seconds, the sign-up's ID and an HMAC-SHA-256: short, because a status URL is in a QR code. */
export function signedLinks({ publicUrl, secrets }: LinkConfig) {
  return {
    /** @param expires rounded down to a second @param origin the API's public URL by default */
    urlOf(purpose: LinkPurpose, signUpId: string, expires: Date, origin = publicUrl): string {
      const [secret] = secrets;
      if (secret === undefined) throw new Error("There is no secret to sign with");
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUInt32BE(Math.floor(expires.getTime() / 1000));
      const content = Buffer.concat([expiry, Buffer.from(signUpId.replaceAll("-", ""), "hex")]);
      const token = Buffer.concat([content, macOf(secret, purpose, content)]);
      return `${origin}${PATHS[purpose]}/${token.toString("base64url")}`;
    },

    /** The sign-up's ID; undefined if the token was altered, has expired or is for another purpose. */
    read(purpose: LinkPurpose, token: string): string | undefined {
      const bytes = Buffer.from(token, "base64url");
      if (bytes.length !== EXPIRY_BYTES + ID_BYTES + MAC_BYTES) return undefined;
      const [content, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
      if (!secrets.some((secret) => timingSafeEqual(macOf(secret, purpose, content), mac))) return undefined;
      if (content.readUInt32BE() * 1000 <= Date.now()) return undefined;
      const id = content.subarray(EXPIRY_BYTES).toString("hex");
      return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
  };
}

function macOf(secret: string, purpose: LinkPurpose, content: Buffer): Buffer {
  return createHmac("sha256", secret).update(purpose).update(content).digest().subarray(0, MAC_BYTES);
}
