import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../../tools/wrangler/wrangler";
import { filledInCompany } from "../../support/filled-in-settings";
import { plainApi } from "../../support/plain-api";
import { startSite } from "../../support/workers/workers";
import { checkOut } from "./checkout";
import { asOwnUrl, type HostAnswers, startCloudflare, through } from "./cloudflare";

/* The handbook's section "The site with your own API", followed word for word with a stand-in for Cloudflare's API. */

const handbook = readFileSync(join(root, "docs/operations.md"), "utf8");
const [section = ""] = /^### The site with your own API\n.*?(?=^##)/ms.exec(handbook) ?? [];
const blocksOf = (language: string) =>
  [...section.matchAll(RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\``, "gms"))].map(([, text = ""]) =>
    text.split("\n").flatMap((line) => line.trim() || []),
  );
const commands = blocksOf("sh").flat();

/** The owner's values of the settings that the section lists. */
const VALUES: Record<string, string> = {
  SITE_URL: "https://www.acme.com",
  CUSTOMER_PORTAL_URL: "https://billing.stripe.com/p/login/0123456789",
  SUBSCRIPTION_API_URL: "https://api.other.com",
  SUBSCRIPTION_API_IDEMPOTENT: "false",
  STRIPE_PUBLISHABLE_KEY: "pk_live_0123456789abcdef",
};

const SECRET = "0123456789abcdef".repeat(4);

const site = await startSite({
  vars: {
    ...VALUES,
    STAGE: "production",
    SESSION_SECRET: SECRET,
    STRIPE_JS_URL: undefined,
    STRIPE_API_URL: undefined,
    CONSOLE_URL: undefined,
  },
});
const hosts: Record<string, HostAnswers> = {
  "www.acme.com": through(site.url, asOwnUrl),
  "api.other.com": plainApi(async () => "seti_1_secret_1").answer,
  "api.stripe.com": () => new Response("{}", { status: 404 }),
};
const cloudflare = await startCloudflare(undefined, hosts);
const checkout = await checkOut();
checkout.commit();
afterAll(() => Promise.all([site.dispose(), cloudflare.dispose(), checkout.dispose()]));

/** Runs a line of a shell in the checkout, and types the secret that it may ask for. */
async function type(line: string) {
  cloudflare.changes.length = 0;
  const { output, exitCode } = await checkout.type(line, cloudflare.env, SECRET);
  return { output, exitCode, changes: [...cloudflare.changes] };
}

const ALONE = "The site alone: its API is at https://api.other.com";
/** Only the reference API has these. A commit's digits may contain d1. */
const OF_THE_API = /OPERATOR_TOKEN|\bD1\b|database|migration|catalog|webhook|PUBLIC_URL|functions.subscription-api/i;

/** The edits of the steps before the first command. */
beforeAll(async () => {
  await checkout.change("app/company.ts", filledInCompany);
  await checkout.change("wrangler.toml", (text) => {
    const [before = "", production = "", after = ""] = text.split(/(?=^\[env\.(?:production|staging)\]\n)/m);
    const bound = /^\[\[env\.production\.services\]\]\n(?:[^[\n].*\n)*/m;
    expect(production, "the block that the section removes").toMatch(bound);
    const edited = blocksOf("toml")
      .flat()
      .map((line) => line.split(" = ")[0] ?? "")
      .reduce(
        (whole, name) => {
          expect(whole, "the settings that the section lists").toMatch(RegExp(`^${name} = `, "m"));
          return whole.replace(RegExp(`^${name} = .*$`, "m"), `${name} = "${VALUES[name]}"`);
        },
        production.replace(bound, ""),
      );
    return before + edited.replace('pattern = "www.citewell.example"', 'pattern = "www.acme.com"') + after;
  });
});

test("the section's commands, typed in their order, lead to a live site and ask nothing about an API of ours", async () => {
  expect(commands.length, "the section's commands").toBeGreaterThan(4);
  // Something to commit.
  await checkout.change("app/company.ts", (text) => `${text}// Ours.\n`);
  for (const line of commands) {
    const { output, exitCode, changes } = await type(line);
    expect(exitCode, `${line}\n${output}`).toBe(0);
    if (line.startsWith("npm run")) expect(output).toContain(ALONE);
    expect(output).not.toMatch(OF_THE_API);
    expect(changes.filter((change) => !change.includes("citewell-site"))).toEqual([]);
    if (/secret put|deploy/.test(line)) expect(changes, line).not.toEqual([]);
  }
});
