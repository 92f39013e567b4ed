import { RATE_LIMIT_KEY_HEADER } from "../../app/contract/site-headers";

/** The headers in which anyone can name another sender. Only Cloudflare's own CF-Connecting-IP counts. */
export const NAMED_SENDERS = {
  "x-forwarded-for": "192.0.2.9",
  "x-real-ip": "192.0.2.9",
  "x-client-ip": "192.0.2.9",
  "true-client-ip": "192.0.2.9",
  "cf-connecting-ipv6": "2001:db8:9::9",
  forwarded: "for=192.0.2.9",
  [RATE_LIMIT_KEY_HEADER]: "192.0.2.9",
};
