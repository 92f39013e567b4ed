import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { company } from "../../app/company";
import { runTool } from "../failures";
import { settingsOf, stageOf } from "../wrangler/worker-settings";
import { API_FOLDER, root, type Stage } from "../wrangler/wrangler";
import { askAccount } from "./account";
import { checkDeployment, databaseIdOf, isDatabaseId } from "./checks";

// npm run preflight: production, or --staging. --offline asks no account. npm run stripe:setup -- --check asks Stripe.

/** `beforeMigrating`: new migrations and, with `apiOnly`, packages without prices are no problem. */
type Options = { stage: Stage; offline?: boolean; beforeMigrating?: boolean; apiOnly?: boolean };

/** Prints what has to be fixed before a deployment; returns whether there is nothing. */
export function preflight({ stage, offline, beforeMigrating, apiOnly }: Options): boolean {
  const workers = settingsOf(stage);
  const hasDatabase = !apiOnly && isDatabaseId(databaseIdOf(workers.api));
  const { unanswered, ...account } = offline ? {} : askAccount(stage, hasDatabase);
  const files = readdirSync(join(root, API_FOLDER, "migrations")).filter((name) => name.endsWith(".sql"));
  const deployment = {
    ...workers,
    stage,
    other: settingsOf(stage === "staging" ? "production" : "staging"),
    account,
    company,
    migrations: beforeMigrating ? [] : files,
  };
  const findings = [...(unanswered ? [unanswered] : []), ...checkDeployment(deployment)];
  if (offline) console.log("Not checked: secrets, migrations and packages (--offline).");
  for (const what of findings) console.log(`✗ ${what}`);
  const isReady = findings.length === 0;
  console.log(
    isReady ? `✓ Ready to deploy to ${stage}.` : `${findings.length} to fix before a deployment to ${stage}.`,
  );
  return isReady;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(() => {
    const flag = { type: "boolean", default: false } as const;
    const { values } = parseArgs({ options: { offline: flag, staging: flag, production: flag } });
    return preflight({ stage: stageOf(values), offline: values.offline });
  });
}
