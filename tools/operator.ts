import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { causeOf, runTool, ToolError } from "./failures";
import { settingsOf, stageOf, urlIn } from "./releases/deployment-stages";
import type { Stage } from "./wrangler/wrangler";

// npm run export|erase -- --email {email}, npm run catalog, npm run after-restore -- --restored-to {time}
// --stopped-at {time}; with --production or --staging as the owner of OPERATOR_TOKEN.

type Command = { fields: readonly ("email" | "restored-to" | "stopped-at")[]; missing: string };

const person: Command = { fields: ["email"], missing: "Whose data? Add --email {email}." };

const commands = new Map<string, Command>([
  ["export", person],
  ["erase", person],
  ["catalog", { fields: [], missing: "" }],
  [
    "after-restore",
    {
      fields: ["restored-to", "stopped-at"],
      missing: "Add --restored-to and --stopped-at, each a time such as 2026-11-23T09:00:00Z.",
    },
  ],
]);

const nothingErased = z.object({ erased: z.literal(0), customers: z.literal(0) });

/** Returns the API's answer; throws ToolError. */
export async function runCommand(args: string[]): Promise<unknown> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      email: { type: "string" },
      "restored-to": { type: "string" },
      "stopped-at": { type: "string" },
      production: { type: "boolean" },
      staging: { type: "boolean" },
      url: { type: "string" },
    },
  });
  const name = positionals[0] ?? "";
  const command = commands.get(name);
  if (!command) throw new ToolError(`The commands are ${[...commands.keys()].join(", ")}.`);
  if (command.fields.some((field) => values[field] === undefined)) throw new ToolError(command.missing);

  const stage = values.production || values.staging ? stageOf(values) : undefined;
  const { url, token } = stage ? deployed(stage) : local();
  const target = new URL(`/operator/${name}`, values.url ?? url);
  const response = await fetch(target, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(Object.fromEntries(command.fields.map((field) => [field.replace("-", "_"), values[field]]))),
    redirect: "error",
  }).catch((error: unknown) => {
    const remedy = stage ? "look at the network, and at SUBSCRIPTION_API_URL" : "run npm start beside this";
    throw new ToolError(`The API at ${target.host} cannot be reached (${causeOf(error)}): ${remedy}.`);
  });
  const text = await response.text();
  if (response.status === 401 || response.status === 404) {
    throw new ToolError(`The API answered ${response.status}: ${text} Is OPERATOR_TOKEN its secret of that name?`);
  }
  if (!response.ok) throw new ToolError(`The API answered ${response.status}: ${text}`);
  const answer: unknown = JSON.parse(text);
  if (nothingErased.safeParse(answer).success) {
    throw new ToolError("No sign-up, and no customer at Stripe, has this email address.");
  }
  return answer;
}

function local() {
  const { api } = settingsOf();
  return { url: urlIn(api, "PUBLIC_URL"), token: String(api.vars.OPERATOR_TOKEN) };
}

function deployed(stage: Stage) {
  const token = process.env.OPERATOR_TOKEN;
  if (!token) throw new ToolError("Set the variable OPERATOR_TOKEN to the API's secret of that name.");
  return { url: urlIn(settingsOf(stage).site, "SUBSCRIPTION_API_URL"), token };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(async () => {
    console.log(JSON.stringify(await runCommand(process.argv.slice(2)), null, 2));
    return true;
  });
}
