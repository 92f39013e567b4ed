import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readWorkerSettings } from "./worker-settings";

/*
 * The operator's commands: they ask the subscription API, which alone has the database and Stripe's key.
 *   npm run export -- --email {address}       what is kept on a person
 *   npm run erase -- --email {address}        deletes a person, at Stripe too
 *   npm run catalogue                         gives each package its price at Stripe
 * They speak to `npm start`; with --production to the deployed API, as whom the variable OPERATOR_TOKEN tells.
 */

const root = fileURLToPath(new URL("../..", import.meta.url));
const LOCAL_API = "http://localhost:8788";

type Command = { path: string; needsEmail: boolean };

const commands: Record<string, Command> = {
  export: { path: "/operator/export", needsEmail: true },
  erase: { path: "/operator/erase", needsEmail: true },
  catalogue: { path: "/operator/catalogue", needsEmail: false },
};

/** A reason to stop that is said as it is, without a stack. */
class CommandError extends Error {}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { email: { type: "string" }, production: { type: "boolean", default: false }, url: { type: "string" } },
  });
  const command = commands[positionals[0] ?? ""];
  if (!command) throw new CommandError(`The commands are ${Object.keys(commands).join(", ")}.`);
  if (command.needsEmail && values.email === undefined) throw new CommandError("Whose data? Add --email {address}.");

  const { url, token } = values.production ? production() : local();
  const response = await fetch(new URL(command.path, values.url ?? url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ email: values.email }),
    redirect: "error",
  });
  const text = await response.text();
  if (!response.ok) throw new CommandError(`The API answered ${response.status}: ${text}`);
  console.log(JSON.stringify(JSON.parse(text), null, 2));
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

main().catch((error) => {
  const isExpected = error instanceof CommandError || error instanceof TypeError;
  console.error(isExpected ? error.message : error);
  process.exitCode = 1;
});
