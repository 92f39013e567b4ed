import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";

/* Each command in a document can be pasted, and reaches the Worker that it is for. What commands print: tests/release/commands. */

const root = join(import.meta.dirname, "../../..");
const documents = [
  "README.md",
  "wrangler.toml",
  "functions/subscription-api/wrangler.toml",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
/** Of the account, not of a Worker. */
const OF_THE_ACCOUNT = /^npx wrangler (?:login|whoami)/;
const OF_THE_SITE = /SESSION_SECRET|TURNSTILE_SECRET_KEY/;
const OF_BOTH = /SUBSCRIPTION_API_SECRET|versions list|wrangler tail|\{name\}/;

test.each(documents)("wrangler commands in %s name a stage and the folder of their Worker", (file) => {
  const text = readFileSync(join(root, file), "utf8").replaceAll("\\\n", " ");
  const commands = [...text.matchAll(/npx wrangler [^\n`#]*/g)].map(([command]) => command.trim());
  for (const command of commands.filter((one) => !OF_THE_ACCOUNT.test(one))) {
    expect(command).toMatch(/ --env (?:production|staging)(?: |$)/);
    if (!OF_BOTH.test(command)) {
      expect(command.includes("--cwd functions/subscription-api"), command).toBe(!OF_THE_SITE.test(command));
    }
  }
  expect(text).not.toMatch(/(?<!npx )wrangler secret put [A-Z{]/);
});

test("the documented log export settings are valid in the site's wrangler.toml", () => {
  const [, lines = ""] =
    /```toml\n(\[env\.production\.observability\][^`]+)/.exec(readFileSync(join(root, "docs/operations.md"), "utf8")) ??
    [];
  const folder = mkdtempSync(join(tmpdir(), "exported-logs-"));
  const config = join(folder, "wrangler.toml");
  writeFileSync(config, `${readFileSync(join(root, "wrangler.toml"), "utf8")}\n${lines}`);
  const { observability } = unstable_readConfig({ config, env: "production" }, { hideWarnings: true });
  rmSync(folder, { recursive: true });
  expect(observability).toEqual({ enabled: true, logs: { invocation_logs: false, destinations: ["{its name}"] } });
});
