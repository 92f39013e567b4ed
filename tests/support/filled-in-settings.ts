/** A wrangler.toml filled in as an owner would. */
export function filledIn(text: string): string {
  return text
    .replaceAll("citewell.example", "acme.com")
    .replace(
      /(\[env\.staging[\s\S]*)CUSTOMER_PORTAL_URL = ""/,
      '$1CUSTOMER_PORTAL_URL = "https://billing.stripe.com/p/login/test_0123456789"',
    )
    .replaceAll('CUSTOMER_PORTAL_URL = ""', 'CUSTOMER_PORTAL_URL = "https://billing.stripe.com/p/login/0123456789"')
    .replace(
      /(\[env\.staging[\s\S]*)STRIPE_PUBLISHABLE_KEY = ""/,
      '$1STRIPE_PUBLISHABLE_KEY = "pk_test_0123456789abcdef"',
    )
    .replaceAll('STRIPE_PUBLISHABLE_KEY = ""', 'STRIPE_PUBLISHABLE_KEY = "pk_live_0123456789abcdef"')
    .replace(/(env\.production\.d1_databases[^[]+database_id = ")[0-]+/, `$1${DATABASES.production}`)
    .replace(/(env\.staging\.d1_databases[^[]+database_id = ")[0-]+/, `$1${DATABASES.staging}`);
}

/** The ids of the databases that `filledIn` sets. */
export const DATABASES = {
  production: "3f0c9c1e-6f5b-4b0a-9a3e-0d6f1c2b3a4d",
  staging: "8d2b6a70-11c4-4f6e-b0d5-5a7e9c3f1b20",
};
