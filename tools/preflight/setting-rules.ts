import { isLoopback } from "../../app/shared/settings";
import { API_FOLDER, type Stage, wranglerCommand } from "../wrangler/wrangler";
import type { Deployment, Rule, Worker } from "./deployment";
import { meant, namesOf } from "./setting-names";
import { problemsOfApi, problemsOfSite, SECRETS } from "./worker-problems";

/** Reserved names, impossible in a deployment: https://www.rfc-editor.org/rfc/rfc2606 */
const RESERVED_NAME = /(?:^|[@./])example\.(?:com|net|org)(?![\w-])|\.(?:example|test|invalid)(?![\w.-])/i;
const TO_BE_WRITTEN =
  /\b(?:todo|fixme|tbd|xxx+|lorem ipsum|change[ _-]?me|your[ _-](?:company|domain|name|street))\b|[<{…]/i;
export const isPlaceholder = (value: string) => RESERVED_NAME.test(value) || TO_BE_WRITTEN.test(value);

/** Stripe's keys are longer than made-up ones. */
const isMadeUpKey = (value: string) => /^pk_(?:test|live)_(?!\w{16,}$)/.test(value);

const COPY_KEY = "copy it from https://dashboard.stripe.com/apikeys";

type Variable = { name: string; value: string; stage: Stage; put: string; known: string[] };

/** The first match counts. */
const VARIABLE_RULES: [isWrong: (variable: Variable) => boolean, problem: (variable: Variable) => string][] = [
  [
    ({ name }) => ["STRIPE_API_URL", "STRIPE_JS_URL"].includes(name),
    ({ stage }) => `is for local development only: remove it from [env.${stage}.vars]`,
  ],
  [
    ({ name }) => SECRETS.includes(name),
    ({ stage, put }) => `is a secret, for no file: remove it from [env.${stage}.vars] and set it, ${put}`,
  ],
  [
    ({ value }) => isLoopback(value),
    ({ stage, value }) => `is a URL of this machine (${value}): put the deployment's into [env.${stage}.vars]`,
  ],
  [
    ({ value }) => isPlaceholder(value),
    ({ stage, value }) => `is a placeholder (${value}): put yours into [env.${stage}.vars]`,
  ],
  [
    ({ name, value }) => name === "STRIPE_PUBLISHABLE_KEY" && isMadeUpKey(value),
    () => `is no key of Stripe's: ${COPY_KEY}`,
  ],
  [
    ({ name, value, stage }) =>
      name === "STRIPE_PUBLISHABLE_KEY" && stage === "staging" && value.startsWith("pk_live_"),
    () => `is a live key, staging takes test keys: ${COPY_KEY}`,
  ],
  [
    ({ name, value, stage }) =>
      name === "STRIPE_PUBLISHABLE_KEY" && stage === "production" && value.startsWith("pk_test_"),
    () => `is a test key, production takes live keys: ${COPY_KEY}`,
  ],
  [
    ({ name, known }) => !known.includes(name),
    ({ name, stage, known }) => `is no setting${meant(name, known)}: correct it in [env.${stage}.vars]`,
  ],
  [({ value }) => value !== value.trim(), ({ stage }) => `has a space at an end: remove it in [env.${stage}.vars]`],
];

export function settingRules(deployment: Deployment, where: Worker): Rule[] {
  const { stage, secrets } = deployment;
  const [worker, existing, folder] =
    where === "site"
      ? ([deployment.site, secrets?.site, "."] as const)
      : ([deployment.api, secrets?.api, API_FOLDER] as const);
  const put = (name: string) => wranglerCommand(`secret put ${name}`, stage, folder);
  const known = namesOf(where);
  const missing = worker.secrets.required.filter((name) => existing && !existing.includes(name));
  const variables = Object.entries(worker.vars).flatMap(([name, given]): [string, string][] => {
    const variable = { name, value: String(given), stage, put: put(name), known };
    const rule =
      (variable.value !== "" || !known.includes(name)) && VARIABLE_RULES.find(([isWrong]) => isWrong(variable));
    return rule ? [[name, rule[1](variable)]] : [];
  });
  const refused = where === "site" ? problemsOfSite(deployment) : problemsOfApi(deployment);
  const remedy = (name: string) => {
    if (name === "CUSTOMER_PORTAL_URL") return `: npm run stripe:setup -- --${stage} prints it`;
    return SECRETS.includes(name) ? `: ${put(name)}` : "";
  };
  const problems: [name: string, problem: string][] = [
    ...missing.map((name): [string, string] => [name, `is a secret that is not set: ${put(name)}`]),
    ...variables,
    ...refused.map(({ name, problem, isWhole }): [string, string] => [
      name,
      isWhole ? problem : problem + remedy(name),
    ]),
  ];
  return problems.map(([name, problem], index) => [
    where,
    problems.findIndex(([earlier]) => earlier === name) === index,
    `${name} ${problem}`,
  ]);
}
