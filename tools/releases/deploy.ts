import { readCommandLine } from "../command-line";
import { isStarted, runTool, ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { apiOf } from "../operator/call-api";
import { databaseOf } from "../preflight/account";
import { pendingMigrations, preflight } from "../preflight/preflight";
import { urlIn } from "../wrangler/worker-settings";
import { API_FOLDER, type Folder, STAGES, type Stage } from "../wrangler/wrangler";
import { type Commit, committed } from "./commit";
import { changesPrices, pricesStep } from "./prices";
import { runSteps, type Step } from "./steps";

// npm run deploy production or staging: preflight, build, migrations, the API, lower prices, the site, higher prices. Stops at the
// first step that fails. Each step can be repeated.

const MESSAGE_LENGTH = 100;

/** Prints what is live at the end, and how to continue. @returns whether everything is */
export function deploy(stage: Stage, beside: Neighbors): Promise<boolean> {
  const commands = { again: `npm run deploy ${stage}`, next: `npm run smoke ${stage}` };
  return runSteps(stage, () => prepare(stage, beside), commands);
}

async function prepare(stage: Stage, beside: Neighbors): Promise<Step[] | undefined> {
  const { settingsOf, wrangler, buildBrowser, folder, git } = beside;
  const commit = committed(folder, git);
  const { site, api: apiWorker } = settingsOf(stage);
  console.log(`${stage}: ${urlIn(site, "SITE_URL")}, commit ${commit.hash}`);
  const { isReady, migrations, changes } = await preflight(stage, false, beside);
  if (!isReady) return undefined;
  const api = changesPrices(changes) ? apiOf(stage, beside) : undefined;
  console.log("Building the site …");
  await buildBrowser();
  if (apiWorker === undefined) return [upload("site", ".", commit, stage, wrangler)];
  return [
    migrate(stage, migrations, beside),
    upload("subscription API", API_FOLDER, commit, stage, wrangler),
    ...pricesStep(api, changes.beforeSite),
    upload("site", ".", commit, stage, wrangler),
    ...pricesStep(api, changes.afterSite, { retired: changes.retired }),
  ];
}

type Wrangler = Neighbors["wrangler"];

function migrate(stage: Stage, pending: readonly string[], { wrangler, folder }: Neighbors): Step {
  const listed = (names: readonly string[]) => `migrations: ${names.length > 0 ? names.join(", ") : "none was new"}`;
  return {
    result: listed(pending),
    run() {
      console.log("Migrating the database …");
      const args = ["d1", "migrations", "apply", "DB", "--remote"];
      const { succeeded } = wrangler(args, { stage, folder: API_FOLDER, isShown: true });
      if (!succeeded) throw new ToolError("✗ A migration failed, and D1 rolled it back.");
    },
    reached() {
      const left = pendingMigrations(databaseOf(stage, wrangler), folder);
      const applied = pending.filter((name) => !left.includes(name));
      return applied.length > 0 ? listed(applied) : undefined;
    },
  };
}

function upload(title: string, folder: Folder, { hash, subject }: Commit, stage: Stage, wrangler: Wrangler): Step {
  return {
    result: `${title}: commit ${hash}`,
    run() {
      console.log(`Deploying the ${title} …`);
      const message = `${hash} ${subject}`.slice(0, MESSAGE_LENGTH);
      const named = ["--tag", hash, "--message", message, "--define", `COMMIT:${JSON.stringify(hash)}`];
      const { succeeded } = wrangler(["deploy", ...named], { stage, folder, isShown: true });
      if (!succeeded) throw new ToolError(`✗ The ${title} was not deployed.`);
      console.log(`✓ ${title}: ${hash} is live for ${stage}`);
    },
  };
}

if (isStarted(import.meta.url)) {
  await runTool(() => deploy(readCommandLine({ script: "deploy", targets: STAGES }).target, neighbors));
}
