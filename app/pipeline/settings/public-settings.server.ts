import { PAID_PLANS, settingOf } from "../../contract/plans";
import { recordOf } from "../../shared/record-of";
import type { Site } from "../../ui/use-site";
import type { SiteContext } from "../context.server";

/** Settings that pages may contain: URLs and ids, never a secret. */
export function publicSettings({ configuration, requestId }: SiteContext): Site {
  return {
    siteUrl: configuration.SITE_URL,
    consoleUrl: configuration.CONSOLE_URL,
    customerPortalUrl: configuration.CUSTOMER_PORTAL_URL,
    researchUrl: configuration.RESEARCH_URL,
    salesEmail: configuration.SALES_EMAIL,
    supportEmail: configuration.SUPPORT_EMAIL,
    legalEmail: configuration.LEGAL_EMAIL,
    automaticTax: configuration.AUTOMATIC_TAX,
    year: new Date().getUTCFullYear(),
    packageIds: recordOf(PAID_PLANS.map((plan) => [plan.key, configuration[settingOf(plan)]] as const)),
    requestId,
  };
}
