import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { causeOf, runTool, ToolError } from "./failures";
import { settingsOf, stageOf, urlIn } from "./wrangler/worker-settings";
import type { Stage } from "./wrangler/wrangler";

// npm run export|erase -- --email {email}, npm run catalog, npm run status, npm run messages [-- --send-again {key}],
// npm run after-restore -- --restored-to {time} --stopped-at {time}; with --production or --staging as the owner of
// OPERATOR_TOKEN.

type Option = "email" | "restored-to" | "stopped-at" | "send-again";
/** `missing` is the sentence about an option that the command needs. */
type Command = { options: readonly Option[]; missing?: string; show?: (answer: unknown) => string };

const person: Command = { options: ["email"], missing: "Whose data? Add --email {email}." };

const COMMANDS: Record<string, Command> = {
  export: person,
  erase: person,
  catalog: { options: [] },
  "after-restore": {
    options: ["restored-to", "stopped-at"],
    missing: "Add --restored-to and --stopped-at, each a time such as 2026-11-23T09:00:00Z.",
  },
  messages: { options: ["send-again"], show: messagesTable },
  status: { options: [], show: statusTable },
};

const nothingErased = z.object({ erased: z.literal(0), customers: z.literal(0) });

/** Returns the API's answer; throws ToolError. */
export async function runCommand(args: string[]): Promise<unknown> {
  const { name, command, values } = parse(args);
  if (command.missing !== undefined && command.options.some((option) => values[option] === undefined)) {
    throw new ToolError(command.missing);
  }
  const stage = values.production || values.staging ? stageOf(values) : undefined;
  const { url, token } = stage ? deployed(stage) : local();
  const target = new URL(`/operator/${name}`, values.url ?? url);
  const body = Object.fromEntries(command.options.map((option) => [option.replace("-", "_"), values[option]]));
  const remedy = stage ? "look at the network, and at SUBSCRIPTION_API_URL" : "run npm start beside this";
  const parts = [await send(target, token, body, remedy)];
  for (let next = nextOf(parts[0]); next !== null; next = nextOf(parts.at(-1))) {
    parts.push(await send(target, token, { ...body, from: next }, remedy));
  }
  const answer = parts.length === 1 ? parts[0] : sumOf(parts);
  if (nothingErased.safeParse(answer).success) {
    throw new ToolError("No sign-up, and no customer at Stripe, has this email address.");
  }
  return answer;
}

async function send(target: URL, token: string, body: object, remedy: string): Promise<unknown> {
  const response = await fetch(target, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
  }).catch((error: unknown) => {
    throw new ToolError(`The API at ${target.host} cannot be reached (${causeOf(error)}): ${remedy}.`);
  });
  const text = await response.text();
  if (response.status === 401 || response.status === 404) {
    throw new ToolError(`The API answered ${response.status}: ${text} Is OPERATOR_TOKEN its secret of that name?`);
  }
  if (!response.ok) throw new ToolError(`The API answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Where the API goes on with work that it does in parts. */
function nextOf(answer: unknown): string | null {
  return z.object({ next: z.string() }).safeParse(answer).data?.next ?? null;
}

const part = z.record(z.string(), z.union([z.number(), z.string(), z.array(z.unknown()), z.null()]));

/** The numbers of all parts added up, and their lists put together. */
function sumOf(parts: unknown[]): Record<string, unknown> {
  const sum: Record<string, number | unknown[]> = {};
  for (const [name, value] of parts.flatMap((one) => Object.entries(part.parse(one)))) {
    const known = sum[name];
    if (Array.isArray(value)) sum[name] = [...(Array.isArray(known) ? known : []), ...value];
    else if (typeof value === "number") sum[name] = (typeof known === "number" ? known : 0) + value;
  }
  return sum;
}

function parse(args: string[]) {
  const string = { type: "string" } as const;
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      email: string,
      "restored-to": string,
      "stopped-at": string,
      "send-again": string,
      production: { type: "boolean" },
      staging: { type: "boolean" },
      url: string,
    },
  });
  const name = positionals[0] ?? "";
  const command = COMMANDS[name];
  if (!command) throw new ToolError(`The commands are ${Object.keys(COMMANDS).join(", ")}.`);
  return { name, command, values };
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

const messages = z.object({
  messages: z.array(
    z.object({
      key: z.string(),
      state: z.enum(["due", "dead"]),
      attempts: z.number(),
      created_at: z.string(),
      next_attempt_at: z.string(),
    }),
  ),
  dead: z.number(),
});

/** Late and dead messages, or the answer about a message sent again. */
export function messagesTable(answer: unknown): string {
  const found = messages.safeParse(answer).data;
  if (!found) return "The message is sent again now.";
  if (found.messages.length === 0) return "No message is late or dead.";
  const minute = (time: string) => time.slice(0, 16).replace("T", " ");
  const rows = found.messages.map(({ key, state, attempts, created_at, next_attempt_at }) => [
    key,
    state === "dead" ? "dead" : "late",
    String(attempts),
    minute(created_at),
    state === "dead" ? "never" : minute(next_attempt_at),
  ]);
  const table = tableOf([["Message", "State", "Attempts", "Since (UTC)", "Next attempt"], ...rows]);
  return `${table}\n\n${found.dead} dead. To send one again: npm run messages -- --send-again {message}`;
}

const STATES = ["pending", "card_set_up", "trialing", "active", "past_due", "canceled", "ended"];
const status = z.object({
  release: z.string(),
  commit: z.string(),
  days: z.number(),
  sign_ups: z.array(z.object({ day: z.string(), status: z.string(), n: z.number() })),
});

/** Sign-ups by the day on which they began, and their state now. */
export function statusTable(answer: unknown): string {
  const { release, commit, days: latest, sign_ups } = status.parse(answer);
  const days = [...new Set(sign_ups.map(({ day }) => day))].sort();
  const count = (day: string, state: string) =>
    sign_ups.filter((one) => one.day === day && one.status === state).reduce((sum, { n }) => sum + n, 0);
  const rows = days.map((day) => [day, ...STATES.map((state) => String(count(day, state) || ""))]);
  const table =
    days.length > 0 ? tableOf([["Day (UTC)", ...STATES], ...rows]) : `No sign-ups in the last ${latest} days.`;
  return `${table}\n\nRelease ${release}, commit ${commit}`;
}

/** Columns aligned for a terminal. @param rows the first has the headings */
function tableOf(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(async () => {
    const args = process.argv.slice(2);
    const show = parse(args).command.show ?? ((answer: unknown) => JSON.stringify(answer, null, 2));
    console.log(show(await runCommand(args)));
    return true;
  });
}
