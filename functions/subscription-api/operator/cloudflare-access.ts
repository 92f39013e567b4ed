import { createRemoteJWKSet, jwtVerify } from "jose";
import * as z from "zod";
import type { AccessConfig } from "../config";

type Keys = ReturnType<typeof createRemoteJWKSet>;

const keysOf = new Map<string, Keys>();

/** https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/ */
export async function accessUser(token: string | undefined, access: AccessConfig): Promise<string | undefined> {
  if (token === undefined) return undefined;
  const { url, audience } = access;
  const keys = keysOf.get(url) ?? createRemoteJWKSet(new URL("/cdn-cgi/access/certs", url));
  keysOf.set(url, keys);
  try {
    const { payload } = await jwtVerify(token, keys, { issuer: url, audience, algorithms: ["RS256"] });
    return z.string().min(1).parse(payload.sub);
  } catch {
    return undefined;
  }
}
