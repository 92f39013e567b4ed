import { plans } from "../../../app/pricing/plans";
import { isStripePriceId } from "../../subscription-api/catalogue/packages";
import type { WorkerSettings } from "../worker-settings";
import { scriptCommand } from "../wrangler";
import { databaseId } from "../wrangler-output";
import { type Deployment, type Finding, Findings } from "./findings";

const UNSET = /^[0-]*$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether the API's settings have the id of a database, which may or may not be there. */
export function isDatabaseId(api: WorkerSettings): boolean {
  return UUID.test(idOf(api)) && !UNSET.test(idOf(api));
}

function idOf({ d1_databases }: WorkerSettings): string {
  return d1_databases.find(({ binding }) => binding === "DB")?.database_id ?? "";
}

/** The database's id in the API's settings. */
export function checkDatabaseId({ stage, api, other }: Deployment, found: Findings): void {
  const id = idOf(api);
  if (UNSET.test(id)) found.add(`database_id is not set: ${databaseId(stage, "to be made")}`);
  else if (!UUID.test(id)) found.add(`database_id is "${id}", which is no UUID: ${databaseId(stage, "there")}`);
  else if (id === idOf(other.api)) {
    const others = stage === "staging" ? "production" : "staging";
    found.add(`database_id is that of ${others} too: ${databaseId(stage, "to be made")}`);
  }
}

/** What the database lacks. */
export function checkDatabase({ stage, site, database, migrations }: Deployment): Finding[] {
  const found = new Findings("database", stage);
  if (!database) return [];
  const missing = migrations.filter((name) => !database.migrations.includes(name));
  if (missing.length > 0) found.add(`lacks ${missing.join(", ")}: ${scriptCommand("deploy:subscription-api", stage)}`);

  const { PACKAGE_ID_MINI, PACKAGE_ID_LITE, PACKAGE_ID_STANDARD } = site.vars;
  const packageIds = {
    mini: String(PACKAGE_ID_MINI),
    lite: String(PACKAGE_ID_LITE),
    standard: String(PACKAGE_ID_STANDARD),
  };
  for (const plan of plans({ packageIds, salesEmail: "" })) {
    if (plan.packageId === null || plan.price === null) continue;
    const row = database.packages.find(({ id }) => id === plan.packageId?.toLowerCase());
    if (!row) {
      found.add(
        `has no package ${plan.packageId}, the site's PACKAGE_ID_${plan.title}: put an id of the migrations there, or add a migration`,
      );
    } else if (row.name !== plan.title || row.price_cents !== plan.price * 100) {
      found.add(
        `the package ${plan.packageId} is not ${plan.title} at $${plan.price}, as the site says: change it by a migration`,
      );
    } else if (!isStripePriceId(String(row.stripe_price_id))) {
      found.add(`the package ${plan.title} has no price at Stripe: ${scriptCommand("catalogue", stage)}`);
    }
  }
  return found.list;
}
