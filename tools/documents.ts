import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/v4/core";
import { company } from "../app/company";
import { settings as siteSettings } from "../app/pipeline/settings/configuration.server";
import { settings as apiSettings } from "../functions/subscription-api/config";
import { readOptionsOrExit } from "./command-line";
import { isStarted } from "./failures";
import { textSettings } from "./start/local-settings";
import { root } from "./wrangler/wrangler";

// npm run docs: writes the lists of settings into the operator's handbook, and each Worker's .dev.vars.example.

const textOf = (path: string) => readFileSync(join(root, path), "utf8");

export const HANDBOOK = "docs/operations.md";

/** A Worker's schema of settings, and the file that declares it with a doc comment beside each setting. */
type Declared = { schema: z.$ZodObject; path: string };

const SITE: Declared = { schema: siteSettings, path: "app/pipeline/settings/configuration.server.ts" };
const API: Declared = { schema: apiSettings, path: "functions/subscription-api/config.ts" };

const shapeOf = ({ schema }: Declared) => schema._zod.def.shape;

const LISTS = {
  "settings of the site": () => settingsList(SITE),
  "settings of the API": () => settingsList(API),
};

/** By path. `npm start` takes Stripe's keys for both Workers from either file. */
export const EXAMPLES: Record<string, () => string> = {
  ".dev.vars.example": () => devVars(SITE, API),
  "functions/subscription-api/.dev.vars.example": () => devVars(API, SITE),
};

// Each list is between two comments with its title. Throws an error if the handbook lacks a list's comments, or a
// setting has no doc comment.
export function withLists(handbook: string): string {
  return Object.entries(LISTS).reduce((text, [title, list]) => {
    const [start, end] = [`<!-- ${title} -->`, `<!-- /${title} -->`];
    const [before, rest] = text.split(start);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`${HANDBOOK} has no place for the ${title}`);
    return `${before}${start}\n${list()}\n${end}${after}`;
  }, handbook);
}

/** What Stripe's test mode needs, with the beginnings of the values. */
const TEST_MODE = {
  STRIPE_SECRET_KEY: "sk_test_",
  STRIPE_PUBLISHABLE_KEY: "pk_test_",
  STRIPE_WEBHOOK_SECRET: "whsec_",
};

/** Only for deployments, or read by `npm start` itself. */
const NOT_LOCAL = ["STAGE", "HOST"];

/** Every line is a comment: Stripe's test keys first, for both Workers, then the Worker's other settings. */
function devVars(own: Declared, other: Declared): string {
  const [comments, othersComments] = [commentsOf(own), commentsOf(other)];
  const keys = Object.entries(TEST_MODE).map(([name, value]) => {
    return `# ${comments.get(name) ?? othersComments.get(name)}\n# ${name}=${value}…\n`;
  });
  const rest = textSettings(own.schema).filter((name) => !(name in TEST_MODE) && !NOT_LOCAL.includes(name));
  return [
    "# Copy this file to .dev.vars beside it, and remove the # before each setting that npm start is to use instead of wrangler.toml's.",
    "# [env.local] in the wrangler.toml beside it has this machine's settings and secrets.",
    "# Written by npm run docs.\n",
    '# Stripe\'s test mode, for both Workers (docs/operations.md, "Stripe"): the keys are at https://dashboard.stripe.com/test/apikeys.\n',
    ...keys,
    "# The other settings.\n",
    ...rest.map((name) => `# ${comments.get(name)}\n# ${name}=\n`),
  ].join("\n");
}

function settingsList(declared: Declared): string {
  const shape = shapeOf(declared);
  const comments = commentsOf(declared);
  return Object.keys(shape)
    .map((name) => `- \`${name}\`${defaultOf(shape[name])}: ${comments.get(name)}`)
    .join("\n");
}

/** By setting. Throws an error if one has no doc comment. */
function commentsOf(declared: Declared): ReadonlyMap<string, string> {
  const { path } = declared;
  const schema = /export const settings = z\.object\(\{\n(.*?)\n\}\);/s.exec(textOf(path))?.[1] ?? "";
  const comments = new Map<string, string>();
  for (const [, comment = "", name = ""] of schema.matchAll(/\/\*\* (.+?) \*\/\s+(\w+):/gs)) {
    comments.set(name, comment);
  }
  const names = Object.keys(shapeOf(declared));
  const missing = names.filter((name) => !comments.has(name));
  if (missing.length > 0) throw new Error(`${path} has no comment beside ${missing.join(", ")}`);
  return comments;
}

function defaultOf(schema: z.$ZodType | undefined): string {
  const absent = schema && z.safeParse(schema, undefined);
  if (!absent?.success) return " (required)";
  if (absent.data === undefined || absent.data === "") return "";
  return absent.data === company.consoleUrl ? " (in `app/company.ts`)" : ` (\`${absent.data}\`)`;
}

if (isStarted(import.meta.url)) {
  readOptionsOrExit("docs");
  writeFileSync(join(root, HANDBOOK), withLists(textOf(HANDBOOK)));
  for (const [path, text] of Object.entries(EXAMPLES)) writeFileSync(join(root, path), text());
}
