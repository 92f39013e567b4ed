import { buildBrowser } from "../build";
import { readCommandLine } from "../command-line";
import { runTool, ToolError } from "../failures";
import { apiOf } from "../operator/call-api";
import { preflight } from "../preflight/preflight";
import { settingsOf, urlIn } from "../wrangler/worker-settings";
import { API_FOLDER, type Folder, runWrangler, STAGES, type Stage } from "../wrangler/wrangler";
import { type Commit, committed } from "./commit";
import { takeLiveReleases } from "./kept-releases";
import { changesPrices, setPrices } from "./prices";

// npm run deploy production or staging: preflight, build, migrations, the API, lower prices, the site, higher prices. Stops at the
// first step that fails. Each step can be repeated.

const MESSAGE_LENGTH = 100;

async function deploy(stage: Stage): Promise<boolean> {
  const commit = committed();
  const { site } = settingsOf(stage);
  const siteUrl = urlIn(site, "SITE_URL");
  console.log(`${stage}: ${siteUrl}, commit ${commit.hash}`);
  const { isReady, changes } = await preflight(stage);
  if (!isReady) return false;
  const api = changesPrices(changes) ? apiOf(stage) : undefined;
  console.log(await takeLiveReleases(siteUrl));
  console.log("Building the site …");
  await buildBrowser();

  console.log("Migrating the database …");
  const migrate = ["d1", "migrations", "apply", "DB", "--remote"];
  if (!runWrangler(migrate, { stage, folder: API_FOLDER, isShown: true }).succeeded) {
    throw new ToolError(
      "✗ A migration failed, and D1 rolled it back. Earlier migrations were applied. No Worker was deployed.",
    );
  }
  upload("subscription API", API_FOLDER, commit, stage);
  if (api) await setPrices(api, changes.beforeSite, `The site was not deployed. To continue: npm run deploy ${stage}`);
  upload("site", ".", commit, stage);
  if (api)
    await setPrices(api, changes.afterSite, `The lower prices are still charged. To continue: npm run deploy ${stage}`);
  return true;
}

function upload(title: string, folder: Folder, { hash, subject }: Commit, stage: Stage): void {
  console.log(`Deploying the ${title} …`);
  const message = `${hash} ${subject}`.slice(0, MESSAGE_LENGTH);
  const named = ["--tag", hash, "--message", message, "--define", `COMMIT:${JSON.stringify(hash)}`];
  const { succeeded } = runWrangler(["deploy", ...named], { stage, folder, isShown: true });
  if (!succeeded) throw new ToolError(`✗ The ${title} was not deployed.`);
  console.log(`✓ ${title}: ${hash} is live for ${stage}`);
}

await runTool(() => deploy(readCommandLine({ script: "deploy", targets: STAGES }).target));
