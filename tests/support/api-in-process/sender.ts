/** The emails' sender, for tests without settings. */
export const SENDER = {
  from: "hello@example.com",
  companyName: "Citewell",
  consoleUrl: "https://console.example",
  customerPortalUrl: "https://billing.example",
  siteUrl: "https://www.example",
  supportEmail: "support@example.com",
  salesEmail: "sales@example.com",
};
