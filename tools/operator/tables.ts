import * as z from "zod";
import { signUpRow } from "../../functions/subscription-api/sign-up";
import { ToolError } from "../failures";
import type { Target } from "../wrangler/worker-settings";

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

/** Late and dead messages as a table, or the answer about a message that is sent again. */
export function messagesTable(answer: unknown, target: Target): string {
  const found = messages.safeParse(answer).data;
  if (!found) return "The message is being sent again.";
  if (found.messages.length === 0) return "No messages are late or dead.";
  const minute = (time: string) => time.slice(0, 16).replace("T", " ");
  const rows = found.messages.map(({ key, state, attempts, created_at, next_attempt_at }) => [
    key,
    state === "dead" ? "dead" : "late",
    String(attempts),
    minute(created_at),
    state === "dead" ? "never" : minute(next_attempt_at),
  ]);
  const table = tableOf([["Message", "State", "Attempts", "Since (UTC)", "Next attempt"], ...rows]);
  return `${table}\n\n${found.dead} dead. To send one again: npm run messages ${target} -- --send-again {message}`;
}

const erased = z.object({ erased: z.number(), customers: z.number() });

/** What was erased, and what the API still does. Throws ToolError if nobody was found. */
export function erasureText(answer: unknown): string {
  const { erased: signUps, customers } = erased.parse(answer);
  if (signUps + customers === 0) throw new ToolError("No sign-up and no Stripe customer has this email address.");
  return `Erased sign-ups: ${signUps}. Deleted Stripe customers: ${customers}.
If Stripe is still creating a customer for a form that was just sent, the API deletes it as soon as Stripe reports it. You do not need to run this again.`;
}

const state = signUpRow.shape.status;
const status = z.object({
  release: z.string(),
  commit: z.string(),
  days: z.number(),
  sign_ups: z.array(z.object({ day: z.string(), status: state, n: z.number() })),
});

export function statusTable(answer: unknown): string {
  const { release, commit, days: latest, sign_ups } = status.parse(answer);
  const days = [...new Set(sign_ups.map(({ day }) => day))].sort();
  const count = (day: string, status: string) =>
    sign_ups.find((one) => one.day === day && one.status === status)?.n ?? "";
  const rows = days.map((day) => [day, ...state.options.map((one) => String(count(day, one)))]);
  const table =
    days.length > 0 ? tableOf([["Day (UTC)", ...state.options], ...rows]) : `No sign-ups in the last ${latest} days.`;
  return `${table}\n\nRelease ${release}, commit ${commit}`;
}

/** Aligns columns for a terminal. @param rows the first has the headings */
function tableOf(rows: string[][]): string {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const aligned = (row: string[]) => row.map((cell, column) => cell.padEnd(widthOf(column)));
  return rows.map((row) => aligned(row).join("  ").trimEnd()).join("\n");
}
