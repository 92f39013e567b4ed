/** What is mutated together, and the edge tests that run in process for it, beside tests/unit/. */
export type Area = { mutate: string[]; tests: string[] };

const edge = (...names: string[]) => names.map((name) => `tests/edge/${name}.test.ts`);
const api = (...names: string[]) => names.map((name) => `functions/subscription-api/${name}`);

/** The most telling first: a mutant is done with when one test fails. */
export const AREAS: Record<string, Area> = {
  guard: {
    mutate: ["app/edge/guard/*.ts"],
    tests: edge("site/request-guard", "site/urls", "site/rate-limit", "sign-up/form-body"),
  },
  contract: {
    mutate: ["app/contract/*.ts", "app/signup/form/{form-schema,validate-in-browser}.ts"],
    tests: edge("sign-up/form-body"),
  },
  "sign-up": {
    mutate: ["app/signup/**/*.server.ts"],
    tests: edge(
      "sign-up/{sign-up,session,messages,api-client,status-url,one-plan,country,time}",
      "bots/{question,card-checks,scripts}",
      "site/form-page-cache",
    ),
  },
  outbox: {
    mutate: api("outbox/*.ts"),
    tests: edge("failures/outbox", "trials/{trial-mails,links}", "api/subscription-api"),
  },
  "sign-ups": {
    mutate: api("sign-ups/**/*.ts", "catalogue/*.ts", "scheduled.ts"),
    tests: edge(
      "api/{subscription-api,stripe-webhook}",
      "failures/{reconcile,api-failures}",
      "api/operator",
      "trials/{failed-cards,one-trial,links,sign-up-counts}",
      "sign-up/status-url",
    ),
  },
  stripe: {
    mutate: api("stripe/*.ts"),
    tests: edge(
      "failures/stripe-failures",
      "api/stripe-webhook",
      "trials/{trial-mails,failed-cards}",
      "api/operator",
      "failures/api-failures",
    ),
  },
  limits: {
    mutate: api("limits/*.ts", "{bounded-body,in-parallel,local-development,run-limits,signed-links}.ts"),
    tests: edge("trials/sign-up-counts", "api/api-configuration"),
  },
  http: {
    mutate: api("{app,config,cron-runs,d1-retries,log}.ts", "http/**/*.ts"),
    tests: edge(
      "api/{api-configuration,subscription-api,operator}",
      "trials/{links,sign-up-counts,failed-cards}",
      "failures/stripe-failures",
      "api/{access,transport,stripe-webhook,workload}",
    ),
  },
};
