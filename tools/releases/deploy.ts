import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { runTool, ToolError } from "../failures";
import { preflight } from "../preflight/preflight";
import { API_FOLDER, type Folder, root, runWrangler, type Stage } from "../wrangler/wrangler";
import { failedMigration, failureIn, unexpectedWarnings } from "../wrangler/wrangler-output";
import { checkedOut, settingsOf, stageOf, urlIn } from "./deployment-stages";
import { takeLiveReleases } from "./live-releases";

// npm run deploy: preflight, migrations, the API, the site. --staging, --only subscription-api, --dry-run, --untried, --dirty.
// Shows only unexpected warnings of Wrangler; --verbose shows its whole output.

const MESSAGE_LENGTH = 100;

type Options = { stage: Stage; apiOnly: boolean; dryRun: boolean; untried: boolean; dirty: boolean; verbose: boolean };

/** Wrangler's report of a deployment, in WRANGLER_OUTPUT_FILE_PATH. */
const deployed = z.object({
  type: z.literal("deploy"),
  version_id: z.string(),
  targets: z.array(z.string()).nullish(),
});

/** Names a deployment in the list of versions and at /health. */
export function namedBy({ commit, subject }: { commit: string; subject: string }): string[] {
  const message = `${commit} ${subject}`.slice(0, MESSAGE_LENGTH);
  return ["--tag", commit, "--message", message, "--define", `COMMIT:${JSON.stringify(commit)}`];
}

async function deploy(options: Options): Promise<boolean> {
  const { stage, apiOnly, dryRun, untried, dirty } = options;
  const name = checkedOut();
  if (!dryRun) {
    if (name?.isDirty && !dirty) {
      throw new ToolError("Files differ from the commit, which names the release: git commit them, or add --dirty.");
    }
    if (stage === "production" && !apiOnly && !untried) await requireTried(name?.commit);
    console.log(`Looking at what ${stage} needs …`);
    if (!(await preflight({ stage, offline: false, migrating: true, apiOnly }))) return false;
    console.log("Migrating the database …");
    migrate(options);
  }
  const named = name ? namedBy(name) : [];
  upload("subscription API", API_FOLDER, named, options);
  if (apiOnly) return true;
  if (!dryRun) console.log(await takeLiveReleases(urlIn(settingsOf(stage).site, "SITE_URL")));
  console.log("Building the site …");
  build(options);
  upload("site", ".", named, options);
  return true;
}

function migrate(options: Options): void {
  const { stage } = options;
  const { output, succeeded } = runShown(["d1", "migrations", "apply", "DB", "--remote"], API_FOLDER, options);
  if (succeeded) return;
  const failed = failedMigration(output);
  const why = failed
    ? `${failed.name} failed, and D1 rolled it back: ${failed.errors}\nThe migrations before it are applied.`
    : failureIn(output, { stage, folder: API_FOLDER }).sentence;
  throw new ToolError(`✗ The database was not migrated. ${why} No Worker was deployed.`);
}

function upload(title: string, folder: Folder, named: string[], options: Options): void {
  console.log(`Deploying the ${title} …`);
  const file = join(tmpdir(), `wrangler-output-${process.pid}.json`);
  const args = ["deploy", ...named, ...(options.dryRun ? ["--dry-run"] : [])];
  try {
    wrangle(args, `The ${title} was not deployed`, folder, options, { WRANGLER_OUTPUT_FILE_PATH: file });
    if (options.dryRun) console.log(`✓ ${title}: built for ${options.stage}, nothing was uploaded`);
    else console.log(`✓ ${title}: ${versionIn(readFileSync(file, "utf8"))}`);
  } finally {
    rmSync(file, { force: true });
  }
}

function versionIn(output: string): string {
  for (const line of output.split("\n")) {
    const { data } = deployed.safeParse(line === "" ? undefined : JSON.parse(line));
    if (data) return `version ${data.version_id} is live at ${data.targets?.join(", ") || "no route"}`;
  }
  return "deployed";
}

/** Throws ToolError. */
function wrangle(args: string[], otherwise: string, folder: Folder, options: Options, env?: NodeJS.ProcessEnv): void {
  const { output, succeeded } = runShown(args, folder, options, env);
  if (succeeded) return;
  const { sentence } = failureIn(output, { stage: options.stage, folder });
  throw new ToolError(`✗ ${otherwise}. ${sentence}`);
}

/** Lets Wrangler ask in a terminal, for example whether to take over a domain. */
function runShown(
  args: string[],
  folder: Folder,
  { stage, verbose }: Options,
  env?: NodeJS.ProcessEnv,
): { output: string; succeeded: boolean } {
  const asks = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const level = verbose ? "log" : "warn";
  const { succeeded, stdout, stderr } = runWrangler(args, {
    stage,
    folder,
    asks,
    env: { ...env, WRANGLER_LOG: level },
  });
  if (verbose) console.log(`${stdout}${stderr}`.trim());
  else for (const warning of unexpectedWarnings(stderr)) console.log(`Wrangler warns: ${warning}`);
  return { output: `${stderr}\n${stdout}`, succeeded };
}

function build({ verbose }: Options): void {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "build:browser"], {
    cwd: root,
    encoding: "utf8",
  });
  if (verbose || status !== 0) console.log(`${stdout}${stderr}`.trim());
  if (status !== 0) throw new ToolError("✗ The site was not deployed: it cannot be built. Fix what is named above.");
}

/** Throws ToolError if staging is set up and runs another commit. */
async function requireTried(commit: string | undefined): Promise<void> {
  const staging = urlIn(settingsOf("staging").site, "SITE_URL");
  if (new URL(staging).hostname.endsWith(".example")) return;
  const health = z.object({ commit: z.string() });
  const tried = await fetch(`${staging}/health`, { signal: AbortSignal.timeout(20_000) })
    .then(async (response) => health.parse(await response.json()).commit)
    .catch(() => "nothing that answers");
  if (tried === commit) return;
  throw new ToolError(
    `Staging runs ${tried}, this is ${commit ?? "no commit"}: npm run deploy -- --staging, or add --untried.`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    const flag = { type: "boolean", default: false } as const;
    const { values } = parseArgs({
      options: {
        staging: flag,
        production: flag,
        only: { type: "string" },
        "dry-run": flag,
        untried: flag,
        dirty: flag,
        verbose: flag,
      },
    });
    const { only, "dry-run": dryRun, untried, dirty, verbose } = values;
    if (only !== undefined && only !== "subscription-api") {
      throw new ToolError("--only takes subscription-api: the site is deployed with it.");
    }
    return deploy({ stage: stageOf(values), apiOnly: only !== undefined, dryRun, untried, dirty, verbose });
  });
}
