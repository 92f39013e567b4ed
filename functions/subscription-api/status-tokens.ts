import { createHmac, timingSafeEqual } from "node:crypto";

/** 96 bits (NIST SP 800-107, section 5.3.3): a token that is guessed would tell a status, no more. */
const MAC_BYTES = 12;
const EXPIRY_BYTES = 4;
const UUID = /^\w{8}-\w{4}-\w{4}-\w{4}-\w{12}$/;

/**
 * A signed token of 43 characters for a sign-up's status, a third of a JWT's: the site puts it into a link that becomes a QR code.
 * @param expires rounded down to a second
 */
export function statusToken(secret: string, signUpId: string, expires: Date): string {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(Math.floor(expires.getTime() / 1000));
  const id = UUID.test(signUpId) ? Buffer.from(signUpId.replaceAll("-", ""), "hex") : Buffer.from(signUpId);
  const content = Buffer.concat([expiry, id]);
  return Buffer.concat([content, macOf(secret, content)]).toString("base64url");
}

/** The sign-up's id; undefined if the token was altered or has expired. */
export function readStatusToken(secrets: readonly string[], token: string): string | undefined {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length <= EXPIRY_BYTES + MAC_BYTES) return undefined;
  const [content, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
  if (!secrets.some((secret) => timingSafeEqual(macOf(secret, content), mac))) return undefined;
  if (content.readUInt32BE() * 1000 <= Date.now()) return undefined;
  const id = content.subarray(EXPIRY_BYTES);
  return id.length === 16
    ? id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
    : id.toString();
}

function macOf(secret: string, content: Buffer): Buffer {
  return createHmac("sha256", secret).update("status").update(content).digest().subarray(0, MAC_BYTES);
}
