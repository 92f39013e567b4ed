import * as z from "zod";
import { formFields } from "../../app/contract/fields/form-fields";
import { isPrice } from "../../app/contract/money";
import { planName } from "../../app/contract/plan-name";
import { readCommandLine } from "../command-line";
import { isStarted, runTool, ToolError } from "../failures";
import { type Neighbors, neighbors } from "../neighbors";
import { TARGETS, type Target } from "../wrangler/worker-settings";
import { apiOf, callApi } from "./call-api";
import { erasureText, messagesTable, statusTable } from "./tables";

// npm run {command} production, staging or local (the API of npm start). For a deployment, set OPERATOR_TOKEN.

type Command = {
  /** Maps each option to its kind of value, or to another name for it. */
  options?: Record<string, string>;
  required?: readonly string[];
  /** True if the command is about a person, whose email address it asks for. */
  isAboutPerson?: boolean;
  /** The command's body; without it, the options by their names. */
  bodyOf?: (values: Partial<Record<string, string>>) => object;
  show?: (answer: unknown, target: Target) => string;
};

type Rule = { safeParse(value: unknown): { success: boolean } };

const KINDS: Record<string, { rule: Rule; means: string }> = {
  "package ID": { rule: z.guid(), means: "a package ID, such as 5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10" },
  name: { rule: planName, means: "a name, such as TEAM" },
  "dollars a month": {
    rule: z.string().refine((text) => isPrice(centsIn(text))),
    means: "dollars a month, such as 777 or 777.50",
  },
  time: { rule: z.iso.datetime({ offset: true }), means: "a time, such as 2026-11-23T09:00:00Z" },
};

const COMMANDS: Record<string, Command> = {
  export: { isAboutPerson: true },
  erase: { isAboutPerson: true, show: erasureText },
  catalog: {
    options: { custom: "package ID", name: "name", price: "dollars a month", retire: "package ID" },
    bodyOf: catalogChange,
  },
  "after-restore": {
    options: { "restored-to": "time", "stopped-at": "time" },
    required: ["restored-to", "stopped-at"],
  },
  messages: { options: { "send-again": "message" }, show: messagesTable },
  status: { show: statusTable },
};

/** Shows the target first, on standard error, because the output may go to a file. Throws ToolError. */
export async function runCommand(
  script: string,
  args: string[],
  beside: Pick<Neighbors, "settingsOf" | "fetch" | "env" | "ask">,
): Promise<string> {
  const command = COMMANDS[script];
  if (!command) throw new ToolError(`The commands are ${Object.keys(COMMANDS).join(", ")}.`);
  const { show = inJson, bodyOf = byName, isAboutPerson = false, ...shape } = command;
  const { target, values } = readCommandLine({ script, targets: TARGETS, ...shape }, args);
  for (const [name, value] of Object.entries(values)) {
    const { rule, means } = KINDS[command.options?.[name] ?? ""] ?? {};
    if (rule?.safeParse(value).success === false)
      throw new ToolError(`--${name} is "${value}", which is not ${means}.`);
  }
  const api = apiOf(target, beside);
  console.error(`${target}: ${api.url}`);
  const body = isAboutPerson ? { email: await askForPerson(beside) } : bodyOf(values);
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

/** Not an option, because npm's logs and the shell's history keep those. */
async function askForPerson({ ask }: Pick<Neighbors, "ask">): Promise<string> {
  const email = (await ask("Email address of the person: ")).trim();
  if (formFields.email.rule.safeParse(email).success) return email;
  throw new ToolError(`"${email}" is not an email address, such as ada@example.com.`);
}

/** Read as text, because 19.99 * 100 is not 1999. NaN if the text is not dollars. */
function centsIn(text: string): number {
  const [, dollars, cents = "00"] = /^(\d{1,6})(?:\.(\d\d))?$/.exec(text) ?? [];
  return Number(dollars && dollars + cents);
}

/** `--custom` adds a plan that is sold by its link alone, or changes its price; `--retire` ends a plan's sale. Throws ToolError. */
function catalogChange({ custom, name, price, retire }: Partial<Record<string, string>>): object {
  if (retire !== undefined && (custom ?? name ?? price) === undefined) return { retired_custom: retire };
  if ((custom ?? name ?? price ?? retire) === undefined) return {};
  if (retire !== undefined || custom === undefined || name === undefined || price === undefined)
    throw new ToolError("A custom plan needs --custom, --name and --price. --retire stands alone.");
  return { packages: [{ id: custom, name, price_cents: centsIn(price), status: "custom" }] };
}

const inJson = (answer: unknown) => JSON.stringify(answer, null, 2);

if (isStarted(import.meta.url)) {
  await runTool(async () => {
    const [script = "", ...args] = process.argv.slice(2);
    console.log(await runCommand(script, args, neighbors));
    return true;
  });
}
