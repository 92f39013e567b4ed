import { PAID_PLANS, settingOf } from "../../app/contract/plans";
import { isStripePriceId } from "../../functions/subscription-api/plans/packages";
import type { WorkerSettings } from "../wrangler/worker-settings";
import { API_FOLDER, scriptCommand, wranglerCommand } from "../wrangler/wrangler";
import { databaseId } from "../wrangler/wrangler-output";
import { addressRules } from "./address-rules";
import type { Deployment, Finding, Rule } from "./deployment";
import { isPlaceholder, settingRules } from "./setting-rules";
import { workerRules } from "./worker-rules";

export function checkDeployment(deployment: Deployment): Finding[] {
  const table = [
    ...settingRules(deployment, "site"),
    ...settingRules(deployment, "subscription API"),
    ...addressRules(deployment),
    ...workerRules(deployment),
    ...agreementRules(deployment),
    ...databaseRules(deployment),
    ...companyRules(deployment),
  ];
  return table.flatMap(([where, isWrong, what]) => (isWrong ? [{ where, what }] : []));
}

const SHARED = [
  "AUTOMATIC_TAX",
  "STRIPE_PUBLISHABLE_KEY",
  "CONSOLE_URL",
  "CUSTOMER_PORTAL_URL",
  "SUPPORT_EMAIL",
  "SALES_EMAIL",
  "SITE_URL",
];

/** The private entrypoint of functions/subscription-api/index.ts. */
const SITE_ENTRYPOINT = "SiteApi";

function agreementRules({ stage, site, api, secrets, company }: Deployment): Rule[] {
  const same = "put the same into both files";
  const service = site.services.find(({ binding }) => binding === "SUBSCRIPTION_API");
  const named = [secrets?.site ?? site.secrets.required, secrets?.api ?? api.secrets.required];
  const haveSecret = named.every((names) => names.includes("SUBSCRIPTION_API_SECRET"));
  const putSecret = ([API_FOLDER, "."] as const)
    .map((folder) => wranglerCommand("secret put SUBSCRIPTION_API_SECRET", stage, folder))
    .join(" && ");
  const rules: [isWrong: boolean, what: string][] = [
    ...SHARED.map((name): [boolean, string] => [
      site.vars[name] !== api.vars[name],
      `${name} is not the site's: ${same}`,
    ]),
    [api.vars.COMPANY_NAME !== company.name, "COMPANY_NAME is not the one of app/company.ts: take that"],
    [
      originOf(api.vars.PUBLIC_URL) !== originOf(site.vars.SUBSCRIPTION_API_URL),
      `PUBLIC_URL is not the site's SUBSCRIPTION_API_URL: ${same}`,
    ],
    [
      service !== undefined && service.service !== api.name,
      `the site's service binding names ${service?.service}: in wrangler.toml put service = "${api.name}"`,
    ],
    [
      service !== undefined && service.entrypoint !== SITE_ENTRYPOINT,
      `the site's service binding needs entrypoint = "${SITE_ENTRYPOINT}": the public one takes no sign-ups`,
    ],
    [
      service === undefined && !haveSecret,
      `the site has no service binding, so both Workers need one secret: ${putSecret}`,
    ],
    [
      api.triggers.crons.length === 0,
      `has no cron, so nothing is tried again after a failure: put crons = ["* * * * *"] below [triggers]`,
    ],
  ];
  return rules.map(([isWrong, what]) => ["subscription API", isWrong, what]);
}

function originOf(url: unknown): string {
  return URL.canParse(String(url)) ? new URL(String(url)).origin : String(url);
}

const UNSET = /^[0-]*$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function isDatabaseId(api: WorkerSettings): boolean {
  return UUID.test(idOf(api)) && !UNSET.test(idOf(api));
}

function idOf({ d1_databases }: WorkerSettings): string {
  return d1_databases.find(({ binding }) => binding === "DB")?.database_id ?? "";
}

function databaseRules({ stage, site, api, other, database, databaseNames, migrations }: Deployment): Rule[] {
  const id = idOf(api);
  const others = stage === "staging" ? "production" : "staging";
  const isSet = !UNSET.test(id);
  const ofId: Rule[] = [
    ["subscription API", !isSet, `database_id is not set: ${databaseId(stage, "to be made")}`],
    [
      "subscription API",
      isSet && !UUID.test(id),
      `database_id is "${id}", which is no UUID: ${databaseId(stage, "there")}`,
    ],
    [
      "subscription API",
      isSet && UUID.test(id) && id === idOf(other.api),
      `database_id also belongs to ${others}: ${databaseId(stage, "to be made")}`,
    ],
  ];
  const called = api.d1_databases.find(({ binding }) => binding === "DB")?.database_name;
  const actual = databaseNames?.get(id);
  ofId.push([
    "subscription API",
    actual !== undefined && actual !== called,
    `database_id is the one of ${actual}, not of ${called}: ${databaseId(stage, "there")}`,
  ]);
  if (!database) return ofId;
  const missing = migrations.filter((name) => !database.migrations.includes(name));
  return [
    ...ofId,
    ["database", missing.length > 0, `lacks ${missing.join(", ")}: ${scriptCommand("deploy:subscription-api", stage)}`],
    ...PAID_PLANS.flatMap((plan): Rule[] => {
      const { title, monthlyPrice: price } = plan;
      const setting = settingOf(plan);
      const packageId = String(site.vars[setting]);
      const row = database.packages.find((one) => one.id === packageId.toLowerCase());
      const isSame = row?.name === title && row.price_cents === price * 100;
      return [
        [
          "database",
          row === undefined,
          `has no package ${packageId}, the site's ${setting}: put an id of the migrations there, or add a migration`,
        ],
        [
          "database",
          row !== undefined && !isSame,
          `the package ${packageId} is not ${title} at $${price}, as the site says: change it by a migration`,
        ],
        [
          "database",
          isSame && !isStripePriceId(String(row.stripe_price_id)),
          `the package ${title} has no price at Stripe: ${scriptCommand("catalog", stage)}`,
        ],
      ];
    }),
  ];
}

function companyRules({ company: { postalAddress, profiles } }: Deployment): Rule[] {
  const isExample = (line: string) => isPlaceholder(line) || /example/i.test(line);
  const isUrl = (profile: string) => /^https:\/\//.test(profile) && URL.canParse(profile);
  const rules: [isWrong: boolean, what: string][] = [
    [postalAddress.length === 0, "the postal address is empty: write yours"],
    ...postalAddress.flatMap((line): [boolean, string][] => [
      [line.trim() === "", "a line of the postal address is empty: remove it"],
      [isExample(line), `has the example ${line}: write your address`],
    ]),
    ...profiles.flatMap((profile): [boolean, string][] => [
      [isPlaceholder(profile), `has the example ${profile}: write your own profile, or none`],
      [
        !isPlaceholder(profile) && !isUrl(profile),
        `has the profile ${profile}, which is no https URL: write the whole URL`,
      ],
    ]),
  ];
  return rules.map(([isWrong, what]) => ["app/company-facts.ts", isWrong, what]);
}
