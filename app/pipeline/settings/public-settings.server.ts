import type { Site } from "../../ui/use-site";
import type { SiteContext } from "../context.server";

/** Settings that pages may contain: URLs and ids, never a secret. */
export function publicSettings({ configuration, requestId }: SiteContext): Site {
  return {
    siteUrl: configuration.SITE_URL,
    consoleUrl: configuration.CONSOLE_URL,
    customerPortalUrl: configuration.CUSTOMER_PORTAL_URL,
    automaticTax: configuration.AUTOMATIC_TAX,
    year: new Date().getUTCFullYear(),
    requestId,
  };
}
