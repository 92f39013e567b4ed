import * as z from "zod";
import { readCommandLine } from "../command-line";
import { isStarted, runTool, ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { TARGETS, type Target } from "../wrangler/worker-settings";
import { apiOf, callApi } from "./call-api";
import { erasureText, messagesTable, statusTable } from "./tables";

// npm run {command} production, staging or local (the API of npm start). For a deployment, set OPERATOR_TOKEN.

type Command = {
  /** Maps each option to the name of its value. */
  options?: Record<string, string>;
  required?: readonly string[];
  /** The command's body; without it, the options by their names. */
  bodyOf?: (values: Partial<Record<string, string>>) => object;
  show?: (answer: unknown, target: Target) => string;
};

const person = { options: { email: "email" }, required: ["email"] };
const TIME = "time, such as 2026-11-23T09:00:00Z";
const time = z.iso.datetime({ offset: true });

const COMMANDS: Record<string, Command> = {
  export: person,
  erase: { ...person, show: erasureText },
  catalog: {
    options: { custom: "package ID", name: "name", price: "dollars a month", retire: "package ID" },
    bodyOf: catalogChange,
  },
  "after-restore": {
    options: { "restored-to": TIME, "stopped-at": TIME },
    required: ["restored-to", "stopped-at"],
  },
  messages: { options: { "send-again": "message" }, show: messagesTable },
  status: { show: statusTable },
};

/**
 * Runs an operator's command. First shows the target on standard error, because the output may go to a file.
 * @param script the command's name in package.json
 * @param args the arguments after the command
 * @returns the answer as text. Throws ToolError.
 */
export async function runCommand(
  script: string,
  args: string[],
  beside: Pick<Neighbors, "settingsOf" | "fetch" | "env">,
): Promise<string> {
  const command = COMMANDS[script];
  if (!command) throw new ToolError(`The commands are ${Object.keys(COMMANDS).join(", ")}.`);
  const { show = inJson, bodyOf = byName, ...shape } = command;
  const { target, values } = readCommandLine({ script, targets: TARGETS, ...shape }, args);
  for (const [name, value] of Object.entries(values)) {
    if (command.options?.[name] !== TIME || time.safeParse(value).success) continue;
    throw new ToolError(`--${name} is "${value}", which is not a ${TIME}, in UTC.`);
  }
  const body = bodyOf(values);
  const api = apiOf(target, beside);
  console.error(`${target}: ${api.url}`);
  const answer = await callApi(api, script, body);
  try {
    return show(answer, target);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new ToolError(`The API's answer to ${script} is another release's: ${JSON.stringify(answer).slice(0, 200)}`);
  }
}

const byName = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name.replace("-", "_"), value]));

const DOLLARS = /^(\d{1,6})(?:\.(\d\d))?$/;

/** `--custom` adds a plan that is sold by its link alone, or changes its price; `--retire` ends a plan's sale. Throws ToolError. */
export function catalogChange({ custom, name, price, retire }: Partial<Record<string, string>>): object {
  if (retire !== undefined && (custom ?? name ?? price) === undefined) return { retired: [retire] };
  if ((custom ?? name ?? price ?? retire) === undefined) return {};
  if (retire !== undefined || custom === undefined || name === undefined || price === undefined)
    throw new ToolError("A custom plan needs --custom, --name and --price. --retire stands alone.");
  const [, dollars, cents = "00"] = DOLLARS.exec(price) ?? [];
  if (dollars === undefined)
    throw new ToolError(`--price is "${price}", which is not dollars a month, such as 777 or 777.50.`);
  return { packages: [{ id: custom, name, price_cents: Number(dollars + cents), status: "custom" }] };
}

const inJson = (answer: unknown) => JSON.stringify(answer, null, 2);

if (isStarted(import.meta.url)) {
  await runTool(async () => {
    const [script = "", ...args] = process.argv.slice(2);
    console.log(await runCommand(script, args, neighbors));
    return true;
  });
}
