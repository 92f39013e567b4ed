/** What the API's emails say of the company that sends them, in tests that need no settings. */
export const SENDER = {
  from: "hello@example.com",
  companyName: "Citewell",
  consoleUrl: "https://console.example",
  customerPortalUrl: "https://billing.example",
  siteUrl: "https://www.example",
  supportEmail: "support@example.com",
  salesEmail: "sales@example.com",
};
