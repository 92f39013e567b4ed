import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { takeLiveReleases } from "./live-releases";
import { API_FOLDER, checkedOut, root, type Stage, settingsOf, stageOf, urlIn } from "./stages";

// npm run deploy: preflight, migrations, the API, the site. --staging, --only subscription-api, --dry-run, --untried.

const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
/** Of Wrangler's option --message. */
const MESSAGE_LENGTH = 100;

/** The options of `wrangler deploy` that name what is deployed: in the list of versions, and at /health. */
export function namedBy({ commit, subject }: { commit: string; subject: string }): string[] {
  const message = `${commit} ${subject}`.slice(0, MESSAGE_LENGTH);
  return ["--tag", commit, "--message", message, "--define", `COMMIT:${JSON.stringify(commit)}`];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      staging: { type: "boolean" },
      only: { type: "string" },
      "dry-run": { type: "boolean", default: false },
      untried: { type: "boolean", default: false },
    },
  });
  const stage = stageOf(values);
  const isDryRun = values["dry-run"];
  const name = checkedOut();
  const deploy = ["deploy", "--env", stage, ...(name ? namedBy(name) : []), ...(isDryRun ? ["--dry-run"] : [])];
  const isWhole = values.only === undefined;

  if (isWhole && !isDryRun && stage === "production") {
    if (!values.untried) await requireTried(name?.commit);
    run("npm", ["run", "--silent", "preflight", "--", "--migrating"]);
  }
  if (!isDryRun) migrate(stage);
  run(process.execPath, [wrangler, ...deploy, "--cwd", API_FOLDER]);
  if (!isWhole) return;
  if (!isDryRun) console.log(await takeLiveReleases(urlIn(settingsOf(stage).site, "SITE_URL")));
  run("npm", ["run", "--silent", "build:browser"]);
  run(process.execPath, [wrangler, ...deploy]);
}

function migrate(stage: Stage): void {
  const options = ["--remote", "--env", stage, "--cwd", API_FOLDER];
  run(process.execPath, [wrangler, "d1", "migrations", "apply", "DB", ...options]);
}

/** Ends unless staging, where it is set up, runs the same commit. */
async function requireTried(commit: string | undefined): Promise<void> {
  const staging = urlIn(settingsOf("staging").site, "SITE_URL");
  if (new URL(staging).hostname.endsWith(".example")) return;
  const health = z.object({ commit: z.string() });
  const tried = await fetch(`${staging}/health`, { signal: AbortSignal.timeout(20_000) })
    .then(async (response) => health.parse(await response.json()).commit)
    .catch(() => "nothing that answers");
  if (tried === commit) return;
  console.error(
    `Staging runs ${tried}, this is ${commit ?? "no commit"}: npm run deploy -- --staging, or add --untried.`,
  );
  process.exit(1);
}

/** Ends with the command's exit code if it fails. */
function run(command: string, args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
