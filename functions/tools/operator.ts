import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readWorkerSettings } from "./worker-settings";

// npm run export|erase -- --email {e-mail}, npm run catalogue; with --production as the owner of OPERATOR_TOKEN.

const root = fileURLToPath(new URL("../..", import.meta.url));
const LOCAL_API = "http://localhost:8788";

const commands = new Map([
  ["export", { path: "/operator/export", needsEmail: true }],
  ["erase", { path: "/operator/erase", needsEmail: true }],
  ["catalogue", { path: "/operator/catalogue", needsEmail: false }],
]);

export class CommandError extends Error {}

/** Returns the API's answer; throws CommandError. `--url` replaces the API's URL. */
export async function runCommand(args: string[]): Promise<unknown> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { email: { type: "string" }, production: { type: "boolean", default: false }, url: { type: "string" } },
  });
  const command = commands.get(positionals[0] ?? "");
  if (!command) throw new CommandError(`The commands are ${[...commands.keys()].join(", ")}.`);
  if (command.needsEmail && values.email === undefined) throw new CommandError("Whose data? Add --email {e-mail}.");

  const { url, token } = values.production ? production() : local();
  const response = await fetch(new URL(command.path, values.url ?? url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ email: values.email }),
    redirect: "error",
  });
  const text = await response.text();
  if (!response.ok) throw new CommandError(`The API answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

function local() {
  const { vars } = readWorkerSettings(join(root, "functions/subscription-api/wrangler.toml"));
  return { url: LOCAL_API, token: String(vars.OPERATOR_TOKEN) };
}

function production() {
  const token = process.env.OPERATOR_TOKEN;
  if (token === undefined) throw new CommandError("Set the variable OPERATOR_TOKEN to the API's secret of that name.");
  const { vars } = readWorkerSettings(join(root, "wrangler.toml"), "production");
  return { url: String(vars.SUBSCRIPTION_API_URL), token };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(JSON.stringify(await runCommand(process.argv.slice(2)), null, 2));
  } catch (error) {
    const isExpected = error instanceof CommandError || error instanceof TypeError;
    console.error(isExpected ? error.message : error);
    process.exitCode = 1;
  }
}
