import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { buildBrowser } from "../build";
import { runTool, ToolError } from "../failures";
import { preflight } from "../preflight/preflight";
import { API_FOLDER, type Folder, runWrangler, type Stage } from "../wrangler/wrangler";
import { failedMigration, failureIn } from "../wrangler/wrangler-output";
import { checkedOut, settingsOf, stageOf, urlIn } from "./deployment-stages";
import { takeLiveReleases } from "./kept-releases";

// npm run deploy: preflight, migrations, the API, the site. --staging, --only subscription-api, --verbose (Wrangler's whole output).
// A commit that staging has not run needs --untried.

const MESSAGE_LENGTH = 100;

type Options = { stage: Stage; apiOnly: boolean; untried: boolean; verbose: boolean };
type Commit = { commit: string; subject: string };

async function deploy(options: Options): Promise<boolean> {
  const { stage, apiOnly, untried } = options;
  const commit = committed();
  if (stage === "production" && !apiOnly && !untried) await requireTried(commit);
  console.log(`Looking at what ${stage} needs …`);
  if (!(await preflight({ stage, beforeMigrating: true, apiOnly }))) return false;
  console.log("Migrating the database …");
  migrate(options);
  upload("subscription API", API_FOLDER, commit, options);
  if (apiOnly) return true;
  console.log(await takeLiveReleases(urlIn(settingsOf(stage).site, "SITE_URL")));
  console.log("Building the site …");
  await buildBrowser();
  upload("site", ".", commit, options);
  return true;
}

/** The commit names the release. Throws ToolError if the files are not the commit's. */
function committed(): Commit {
  const name = checkedOut();
  if (name && !name.isDirty) return name;
  throw new ToolError(
    name ? "Files differ from the commit, which names the release: git commit them." : "Deploy from a git repository.",
  );
}

/** Throws ToolError if staging is set up and runs another commit. */
async function requireTried({ commit }: Commit): Promise<void> {
  const staging = urlIn(settingsOf("staging").site, "SITE_URL");
  if (new URL(staging).hostname.endsWith(".example")) return;
  const tried = await fetch(`${staging}/health`, { signal: AbortSignal.timeout(20_000) })
    .then(async (response) => z.object({ commit: z.string() }).parse(await response.json()).commit)
    .catch(() => "nothing that answers");
  if (tried === commit) return;
  throw new ToolError(`Staging runs ${tried}, this is ${commit}: npm run deploy -- --staging, or add --untried.`);
}

function migrate(options: Options): void {
  const output = wrangle(["d1", "migrations", "apply", "DB", "--remote"], API_FOLDER, options);
  if (output === undefined) return;
  const failed = failedMigration(output);
  const why = failed
    ? `${failed.name} failed, and D1 rolled it back: ${failed.errors}\nThe migrations before it are applied.`
    : failureIn(output).sentence;
  throw new ToolError(`✗ The database was not migrated. ${why} No Worker was deployed.`);
}

function upload(title: string, folder: Folder, { commit, subject }: Commit, options: Options): void {
  console.log(`Deploying the ${title} …`);
  const message = `${commit} ${subject}`.slice(0, MESSAGE_LENGTH);
  const named = ["--tag", commit, "--message", message, "--define", `COMMIT:${JSON.stringify(commit)}`];
  const output = wrangle(["deploy", ...named], folder, options);
  if (output !== undefined) throw new ToolError(`✗ The ${title} was not deployed. ${failureIn(output).sentence}`);
  console.log(`✓ ${title}: ${commit} is live for ${options.stage}`);
}

/** Lets Wrangler ask in a terminal, for example whether to take over a domain. Returns the output of a failed command. */
function wrangle(args: string[], folder: Folder, { stage, verbose }: Options): string | undefined {
  const asks = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const env = { WRANGLER_LOG: verbose || !asks ? "log" : "error" };
  const { succeeded, stdout, stderr } = runWrangler(args, { stage, folder, asks, env });
  if (verbose) console.log(`${stdout}${stderr}`.trim());
  return succeeded ? undefined : `${stderr}\n${stdout}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    const flag = { type: "boolean", default: false } as const;
    const flags = { staging: flag, production: flag, untried: flag, verbose: flag };
    const { values } = parseArgs({ options: { ...flags, only: { type: "string" } } });
    const { only, untried, verbose } = values;
    if (only !== undefined && only !== "subscription-api") {
      throw new ToolError("--only takes subscription-api: the site is deployed with it.");
    }
    return deploy({ stage: stageOf(values), apiOnly: only !== undefined, untried, verbose });
  });
}
