import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildBrowser } from "../build";
import { runTool, ToolError } from "../failures";
import { preflight } from "../preflight/preflight";
import { settingsOf, stageOf, urlIn } from "../wrangler/worker-settings";
import { API_FOLDER, type Folder, root, runWrangler, type Stage } from "../wrangler/wrangler";
import { takeLiveReleases } from "./kept-releases";

// npm run deploy: preflight, migrations, the API, the site, in the words of Wrangler. --staging, --only subscription-api.

const MESSAGE_LENGTH = 100;

type Commit = { commit: string; subject: string };

async function deploy(stage: Stage, apiOnly: boolean): Promise<boolean> {
  const commit = committed();
  console.log(`Looking at what ${stage} needs …`);
  if (!(await preflight({ stage, beforeMigrating: true, apiOnly }))) return false;
  console.log("Migrating the database …");
  if (
    !runWrangler(["d1", "migrations", "apply", "DB", "--remote"], { stage, folder: API_FOLDER, isShown: true })
      .succeeded
  )
    throw new ToolError(
      "✗ A migration failed, and D1 rolled it back. Those before it are applied. No Worker was deployed.",
    );
  upload("subscription API", API_FOLDER, commit, stage);
  if (apiOnly) return true;
  console.log(await takeLiveReleases(urlIn(settingsOf(stage).site, "SITE_URL")));
  console.log("Building the site …");
  await buildBrowser();
  upload("site", ".", commit, stage);
  return true;
}

/** The commit names the release, by 12 digits. Throws ToolError if the files are not the commit's. */
function committed(): Commit {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: root, encoding: "utf8" });
  const { status, stdout } = git("log", "-1", "--format=%h %s", "--abbrev=12");
  if (status !== 0) throw new ToolError("Deploy from a git repository.");
  if (git("status", "--porcelain").stdout.trim() !== "")
    throw new ToolError("Files differ from the commit, which names the release: git commit them.");
  const [commit = "", ...words] = stdout.trim().split(" ");
  return { commit, subject: words.join(" ") };
}

function upload(title: string, folder: Folder, { commit, subject }: Commit, stage: Stage): void {
  console.log(`Deploying the ${title} …`);
  const message = `${commit} ${subject}`.slice(0, MESSAGE_LENGTH);
  const named = ["--tag", commit, "--message", message, "--define", `COMMIT:${JSON.stringify(commit)}`];
  const { succeeded } = runWrangler(["deploy", ...named], { stage, folder, isShown: true });
  if (!succeeded) throw new ToolError(`✗ The ${title} was not deployed.`);
  console.log(`✓ ${title}: ${commit} is live for ${stage}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    const flag = { type: "boolean", default: false } as const;
    const { values } = parseArgs({ options: { staging: flag, production: flag, only: { type: "string" } } });
    if (values.only !== undefined && values.only !== "subscription-api") {
      throw new ToolError("--only takes subscription-api: the site is deployed with it.");
    }
    return deploy(stageOf(values), values.only !== undefined);
  });
}
