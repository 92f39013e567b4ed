const api = (...names: string[]) => names.map((name) => `functions/subscription-api/${name}`);

/** What is mutated together. */
export const AREAS: Record<string, string[]> = {
  guard: ["app/pipeline/guard/*.ts"],
  contract: ["app/contract/**/*.ts", "app/shared/**/*.ts", "app/signup/{form-schema,form/validate-in-browser}.ts"],
  "sign-up": ["app/signup/**/*.server.ts"],
  outbox: api("outbox/**/*.ts"),
  "sign-ups": api("sign-ups/**/*.ts", "plans/*.ts"),
  stripe: api("stripe/*.ts"),
  limits: api("limits/*.ts"),
  http: api("*.ts", "http/**/*.ts"),
};
