import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { causeOf, runTool, ToolError } from "./failures";
import { settingsOf, stageOf, urlIn } from "./releases/stages";
import type { Stage } from "./wrangler/wrangler";

// npm run export|erase -- --email {email}, npm run catalogue; with --production or --staging as the owner of OPERATOR_TOKEN.

const commands = new Map([
  ["export", { path: "/operator/export", needsEmail: true }],
  ["erase", { path: "/operator/erase", needsEmail: true }],
  ["catalogue", { path: "/operator/catalogue", needsEmail: false }],
]);

/** Returns the API's answer; throws ToolError. */
export async function runCommand(args: string[]): Promise<unknown> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      email: { type: "string" },
      production: { type: "boolean" },
      staging: { type: "boolean" },
      url: { type: "string" },
    },
  });
  const command = commands.get(positionals[0] ?? "");
  if (!command) throw new ToolError(`The commands are ${[...commands.keys()].join(", ")}.`);
  if (command.needsEmail && values.email === undefined) throw new ToolError("Whose data? Add --email {email}.");

  const stage = values.production || values.staging ? stageOf(values) : undefined;
  const { url, token } = stage ? deployed(stage) : local();
  const target = new URL(command.path, values.url ?? url);
  const response = await fetch(target, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ email: values.email }),
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
  return JSON.parse(text);
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
