import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLocalSettings } from "../../../../tools/start/local-settings";
import { root } from "../../../../tools/wrangler/wrangler";
import { repositoryWith } from "./repository-with";

const API_VARS = "functions/subscription-api/.dev.vars";

test("without .dev.vars and environment, the settings are wrangler.toml's, on the chosen ports", async () => {
  const { vars, lines } = readLocalSettings({ PATH: "/bin" }, 9000, await repositoryWith());
  expect(vars.site).toMatchObject({ SITE_URL: "http://localhost:9000", SUBSCRIPTION_API_URL: "http://localhost:9001" });
  expect(lines).toEqual([]);
});

test("a Worker has the settings of the .dev.vars in its folder", async () => {
  const folder = await repositoryWith({
    ".dev.vars": 'SUBSCRIPTION_API_URL="https://api.acme.com"',
    [API_VARS]: "OPERATOR_TOKEN=a-token\nMAINTENANCE=true",
  });
  const { vars, lines } = readLocalSettings({}, 8787, folder);
  expect(vars.site.SUBSCRIPTION_API_URL).toBe("https://api.acme.com");
  expect(vars["subscription-api"]).toMatchObject({ OPERATOR_TOKEN: "a-token", MAINTENANCE: "true" });
  expect(lines).toEqual([
    "Settings from .dev.vars: SUBSCRIPTION_API_URL",
    `Settings from ${API_VARS}: OPERATOR_TOKEN, MAINTENANCE`,
  ]);
});

test.each([".dev.vars", API_VARS])("one copied %s with Stripe's test keys is enough for both Workers", async (path) => {
  const example = await readFile(join(root, `${path}.example`), "utf8");
  const filledIn = example.replaceAll(
    /^# (STRIPE_(?:SECRET|PUBLISHABLE)_KEY|STRIPE_WEBHOOK_SECRET)=(.+)…$/gm,
    "$1=$2of_mine",
  );
  const { stripe } = readLocalSettings({}, 8787, await repositoryWith({ [path]: filledIn }));
  expect(stripe).toEqual({
    STRIPE_SECRET_KEY: "sk_test_of_mine",
    STRIPE_PUBLISHABLE_KEY: "pk_test_of_mine",
    STRIPE_WEBHOOK_SECRET: "whsec_of_mine",
  });
});

test("a copied example in which nothing is entered changes nothing", async () => {
  const example = await readFile(join(root, ".dev.vars.example"), "utf8");
  const { lines, stripe } = readLocalSettings({}, 8787, await repositoryWith({ ".dev.vars": example }));
  expect({ lines, stripe }).toEqual({ lines: [], stripe: undefined });
});

test("without .dev.vars a Worker has the settings of .env, as with wrangler dev", async () => {
  const { vars, lines } = readLocalSettings({}, 8787, await repositoryWith({ ".env": "SESSION_SECRET=a-secret" }));
  expect(vars.site.SESSION_SECRET).toBe("a-secret");
  expect(lines).toEqual(["Settings from .env: SESSION_SECRET"]);
});

test("the environment comes before .dev.vars, and reaches each Worker that has the setting", async () => {
  const folder = await repositoryWith({ ".dev.vars": "SITE_URL=http://localhost:1" });
  const { vars, lines } = readLocalSettings({ SITE_URL: "http://localhost:2" }, 8787, folder);
  expect([vars.site.SITE_URL, vars["subscription-api"].SITE_URL]).toEqual(["http://localhost:2", "http://localhost:2"]);
  expect(lines).toEqual(["Settings from .dev.vars: SITE_URL", "Settings from the environment: SITE_URL"]);
});

test("the environment sets a setting that wrangler.toml leaves out", async () => {
  const { vars } = readLocalSettings({ AUTOMATIC_TAX: "true" }, 8787, await repositoryWith());
  expect([vars.site.AUTOMATIC_TAX, vars["subscription-api"].AUTOMATIC_TAX]).toEqual(["true", "true"]);
});

test.each([
  { name: "EMAIL", value: "ada@example.com", why: "the setting is a binding" },
  { name: "HOST", value: "0.0.0.0", why: "npm start reads it itself" },
  { name: "SESSION_SECRET", value: "", why: "an empty value counts as absent" },
  { name: "EDITOR", value: "vi", why: "no setting has the name" },
])("$name=$value in the environment is left alone: $why", async ({ name, value }) => {
  const folder = await repositoryWith();
  expect(readLocalSettings({ [name]: value }, 8787, folder)).toEqual(readLocalSettings({}, 8787, folder));
});

test("a line names settings, and never a value", async () => {
  const { lines } = readLocalSettings({ SESSION_SECRET: "hush" }, 8787, await repositoryWith({ [API_VARS]: "A=hush" }));
  expect(lines.join()).not.toContain("hush");
});

test("a copy of wrangler.toml's own key in .dev.vars chooses no test mode", async () => {
  const folder = await repositoryWith({ [API_VARS]: "STRIPE_SECRET_KEY=sk_test_local" });
  expect(readLocalSettings({}, 8787, folder).stripe).toBeUndefined();
});
