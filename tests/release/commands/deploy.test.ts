import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "../../../tools/operator";
import { stageOf } from "../../../tools/releases/deployment-stages";
import { filledIn } from "../../support/filled-in-settings";
import { type Checkout, checkOut } from "./checkout";
import { SECRETS, startCloudflare } from "./cloudflare";
import { freePort } from "./free-port";

/* The commands for a deployment as a person types them, with a stand-in for Cloudflare's API. */

const TOML = ["wrangler.toml", "functions/subscription-api/wrangler.toml"];
const API = "functions/subscription-api";
/** Secrets of the site; all others are the API's. */
const OF_THE_SITE = /SESSION_SECRET|TURNSTILE_SECRET_KEY/;

/** Each command starts Node and Wrangler several times. */
const SLOW = { timeout: 720_000 };

const withAddress = (text: string) =>
  text.replace("100 Example Street, Suite 400", "1 Main Street").replace("social.example", "social.acme.com");

let fresh: Checkout;
let filled: Checkout;
beforeAll(async () => {
  [fresh, filled] = await Promise.all([checkOut(), checkOut()]);
  for (const file of TOML) await filled.change(file, filledIn);
  await filled.change("app/company-facts.ts", withAddress);
});
afterAll(() => Promise.all([fresh.dispose(), filled.dispose()]));

/** Complete commands, with stage and Worker folder. */
function expectWholeCommands(output: string): string[] {
  const commands = [...output.matchAll(/npx wrangler (?!login|whoami)[^\n]*?(?= && |\n|$)/g)].map(
    ([command]) => command,
  );
  for (const command of commands) {
    expect(command).toMatch(new RegExp(` --env staging( --cwd ${API})?$`));
    expect(command.includes(`--cwd ${API}`), command).toBe(!OF_THE_SITE.test(command));
  }
  expect(output).not.toMatch(/(?<!npx )wrangler (?:secret|d1|deploy|versions|rollback)/);
  return commands;
}

const expectNoStack = (output: string) => expect(output).not.toMatch(/\n\s+at |Error:|node:internal/);

test("the preflight of a new account lists each step as a command to paste", SLOW, async () => {
  const cloudflare = await startCloudflare({ workers: new Map(), databases: [] });
  const { output, exitCode } = await fresh.run("preflight", ["--staging"], cloudflare.env);
  await cloudflare.dispose();
  expect(exitCode).toBe(1);
  expectNoStack(output);
  const commands = expectWholeCommands(output);
  for (const name of [...SECRETS.site, ...SECRETS.api]) {
    expect(commands.filter((command) => command.includes(`secret put ${name} `))).toHaveLength(1);
  }
  expect(commands.join("\n")).toContain("d1 create citewell-subscriptions-staging ");
  expect(output).toContain(`into [[env.staging.d1_databases]] of ${API}/wrangler.toml`);
  expect(output).toContain("to fix before a deployment to staging.");
});

test("the preflight of a fresh checkout without a network names every placeholder", SLOW, async () => {
  const { output, exitCode } = await fresh.run("preflight", ["--offline"]);
  expect(exitCode).toBe(1);
  for (const name of ["SITE_URL", "CONSOLE_URL", "CUSTOMER_PORTAL_URL", "MAIL_FROM", "STRIPE_PUBLISHABLE_KEY"])
    expect(output).toContain(name);
  expect(output).toContain("Not checked: Stripe (--offline).");
  expect(output).toMatch(/\d+ to fix before a deployment to production\./);
});

test(
  "a first deployment takes the API, then prices, then the rest, with a preflight and a few lines of output for each",
  SLOW,
  async () => {
    const cloudflare = await startCloudflare();
    const run = (...args: string[]) => filled.run("deploy", ["--production", "--untried", ...args], cloudflare.env);

    const early = await run();
    expect(early.exitCode).toBe(1);
    expect(early.output).toContain("database: The database has no tables yet.");
    expect(cloudflare.changes).toEqual([]);

    const api = await run("--only", "subscription-api");
    expect(api).toEqual({
      output: expect.stringMatching(/✓ subscription API: version [\w-]+ is live at /),
      exitCode: 0,
    });
    expect(cloudflare.changes.some((change) => change.includes("citewell-site"))).toBe(false);

    await cloudflare.query("production", "UPDATE packages SET stripe_price_id = 'price_0123456789abcdef' || name");
    const { output, exitCode } = await run();
    expect(output).toMatch(/✓ Ready to deploy to/);
    expect(output).toMatch(/✓ site: version [\w-]+ is live at /);
    expect(exitCode).toBe(0);
    // None of Wrangler's expected warnings.
    expect(output.trim().split("\n").length).toBeLessThanOrEqual(12);
    expect(output).not.toMatch(/exists at the top level|experimental|Please add|env\.[A-Z]|⛅️/);
    for (const name of ["citewell-subscription-api", "citewell-site"]) {
      expect(cloudflare.changes.filter((change) => change.includes(`PUT /workers/scripts/${name}`))).not.toEqual([]);
    }
    await cloudflare.dispose();
  },
);

test(
  "deploy refuses changed files, and reports a failed migration in full before any Worker is deployed",
  SLOW,
  async () => {
    const cloudflare = await startCloudflare();
    const { folder, change, run, dispose } = await checkOut();
    for (const file of TOML) await change(file, filledIn);
    await change("app/company-facts.ts", withAddress);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@acme.com", ...args], { cwd: folder });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "A release");
    await writeFile(
      join(folder, API, "migrations/0099_broken.sql"),
      "CREATE TABLE half (id TEXT);\nINSERT INTO nowhere VALUES (1);",
    );

    const refused = await run("deploy", ["--only", "subscription-api"], cloudflare.env);
    expect(refused).toEqual({
      output: "Files differ from the commit, which names the release: git commit them, or add --dirty.\n",
      exitCode: 1,
    });
    const { output, exitCode } = await run("deploy", ["--only", "subscription-api", "--dirty"], cloudflare.env);
    await Promise.all([cloudflare.dispose(), dispose()]);
    expect(exitCode).toBe(1);
    expectNoStack(output);
    expect(output).toMatch(
      /✗ The database was not migrated\. 0099_broken\.sql failed, and D1 rolled it back: .*no such table: nowhere/,
    );
    expect(output).toContain("No Worker was deployed.");
    expect(cloudflare.changes).toEqual([]);
  },
);

test("a dry run shows an unexpected warning from Wrangler", SLOW, async () => {
  const checkout = await checkOut();
  await checkout.change(`${API}/wrangler.toml`, (text) =>
    text.replace("[env.production]", "[env.production]\nworker_dev = true"),
  );
  const { output, exitCode } = await checkout.run("deploy:dry-run", ["--only", "subscription-api"]);
  await checkout.dispose();
  expect(exitCode).toBe(0);
  expect(output.split("\n").filter((line) => line.startsWith("Wrangler warns:"))).toEqual([
    expect.stringMatching(/Unexpected fields found.*worker_dev/),
  ]);
  expect(output).not.toContain("_SECRET");
});

describe("errors of commands", SLOW, () => {
  test("one sentence says how to fix a missing or refused login, or a missing network", async () => {
    const cloudflare = await startCloudflare({ knowsToken: false });
    const said = async (script: string, args: string[], env: NodeJS.ProcessEnv) => {
      const { output, exitCode } = await filled.run(script, args, { ...cloudflare.env, ...env });
      expect(exitCode).toBe(1);
      expectNoStack(output);
      return output;
    };
    // This command runs Wrangler least often.
    const rollback = (env: NodeJS.ProcessEnv) => said("rollback", ["0123456789ab"], env);
    expect(await rollback({ CLOUDFLARE_API_TOKEN: undefined })).toContain(
      "Wrangler is not logged in: run npx wrangler login, or set the variable CLOUDFLARE_API_TOKEN.",
    );
    const nowhere = { CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${await freePort()}/client/v4` };
    expect(await rollback(nowhere)).toContain("Cloudflare cannot be reached: look at the network");
    expect(await said("preflight", [], {})).toContain("Cloudflare refuses the login: run npx wrangler login again");
    await cloudflare.dispose();
  });

  test("one sentence says how to fix a missing workers.dev subdomain, or a missing database", async () => {
    const cloudflare = await startCloudflare({ hasSubdomain: false });
    const failing = async (script: string) => {
      const { output, exitCode } = await filled.run(script, ["--only", "subscription-api"], cloudflare.env);
      expect(exitCode).toBe(1);
      expectNoStack(output);
      return output;
    };
    expect(await failing("deploy")).toMatch(
      /✗ The subscription API was not deployed\. The account has no workers\.dev subdomain yet.*open https/,
    );
    cloudflare.account.databases = [];
    expect(await failing("deploy")).toContain("The account has no database with this database_id: put into");
    await cloudflare.dispose();
  });

  test("an invalid wrangler.toml is reported before anything else", async () => {
    const checkout = await checkOut();
    await checkout.change("wrangler.toml", (text) => text.replace('main = "functions/site.ts"', "main = "));
    const keys = { STRIPE_SECRET_KEY: "", STRIPE_PUBLISHABLE_KEY: "", CLOUDFLARE_API_TOKEN: "x" };
    for (const [script = "", ...args] of [["deploy", "--untried"], ["start"]]) {
      const { output, exitCode } = await checkout.run(script, args, { ...keys, PORT: String(await freePort()) });
      expect(exitCode, script).toBe(1);
      expectNoStack(output);
      expect(output.trim().split("\n").at(-1)).toMatch(
        /wrangler\.toml:5:7 is no valid TOML \(.+\): fix the line `main =`, or the one before it\.$/,
      );
    }
    await checkout.dispose();
  });

  test.each([
    [["catalog", "--production"], /^The API at api\.citewell\.example cannot be reached \(.+\): look at the network/],
    [
      ["export", "--email", "ada@example.com"],
      /^The API at localhost:\d+ cannot be reached \(.+\): run npm start beside this\.$/,
    ],
  ])("one sentence says how to fix an API that %j cannot reach", async (args, sentence) => {
    vi.stubEnv("OPERATOR_TOKEN", "x");
    vi.stubEnv("PORT", String(await freePort()));
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(runCommand(args)).rejects.toThrow(sentence);
  });

  test("one sentence refuses an unknown option, or two stages at once", async () => {
    expect(await fresh.run("deploy", ["--prodution"])).toEqual({
      output: "Unknown option '--prodution': see docs/operations.md for the options.\n",
      exitCode: 1,
    });
    expect(() => stageOf({ staging: true, production: true })).toThrow("Choose one of --staging and --production.");
  });
});
