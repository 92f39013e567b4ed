/** The database IDs that `filledIn` sets. */
export const DATABASES = {
  production: "3f0c9c1e-6f5b-4b0a-9a3e-0d6f1c2b3a4d",
  staging: "8d2b6a70-11c4-4f6e-b0d5-5a7e9c3f1b20",
};

/** The secrets that an owner sets for each Worker. */
export const SECRETS = {
  site: ["SESSION_SECRET"],
  api: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "OPERATOR_TOKEN", "LINK_SECRET", "HASH_SECRET"],
};

/** app/company.ts as an owner fills it in. */
export function filledInCompany(text: string): string {
  const owned = text.replaceAll("citewell.example", "acme.com").replace("social.example", "social.acme.com");
  return owned.replace("100 Example Street, Suite 400", "1 Main Street");
}

/** A wrangler.toml as an owner fills it in, for local development, production and staging. */
export function filledIn(text: string): string {
  const owned = text.replaceAll("citewell.example", "acme.com");
  const [local, production, staging] = owned.split(/(?=\[env\.(?:production|staging)\]\n)/);
  const fill = (part = "", key: string, login: string, database: string) =>
    part
      .replace('CUSTOMER_PORTAL_URL = ""', `CUSTOMER_PORTAL_URL = "https://billing.stripe.com/p/login/${login}"`)
      .replace('STRIPE_PUBLISHABLE_KEY = ""', `STRIPE_PUBLISHABLE_KEY = "${key}"`)
      .replace(/(database_id = ")[0-]+/, `$1${database}`);
  const live = fill(production, "pk_live_0123456789abcdef", "0123456789", DATABASES.production);
  return local + live + fill(staging, "pk_test_0123456789abcdef", "test_0123456789", DATABASES.staging);
}
