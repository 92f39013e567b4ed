import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root";
import { type Measured, spreadOf } from "./statistics";

/** A line of the table. */
export interface Row {
  what: string;
  /** What came out, in words, with its unit. */
  result: string;
  /** What it was measured against, where there is something. */
  control?: string;
  /** The figure that is judged, and what it has to be. */
  judged?: Judged;
}

/** Several rounds are judged by their median. */
export interface Judged {
  value: number | Measured;
  unit: "×" | "ms" | "bytes" | "requests" | "renders";
  target: number;
  atLeast?: boolean;
}

export interface Report {
  date: string;
  machine: string;
  /** What else the machine did. */
  noise: string;
  rows: Row[];
  /** Everything that was measured, by name. */
  figures: Record<string, unknown>;
}

const START = "<!-- bench -->";
const END = "<!-- /bench -->";

/** The table as Markdown, with its date and how noisy the machine was. */
export function tableOf({ date, machine, noise, rows }: Report): string {
  const lines = rows.map(({ what, result, control = "", judged }) =>
    [what, result, control, judged ? judgedValue(judged) : "", judged ? targetOf(judged) : ""].join(" | "),
  );
  return `Measured on ${date}, ${machine}. ${noise}

| What | Site | Control | Judged | Target |
| --- | --- | --- | --- | --- |
${lines.map((line) => `| ${line} |`).join("\n")}`;
}

export async function writeReport(report: Report): Promise<void> {
  await mkdir(join(root, "build/bench"), { recursive: true });
  await writeFile(join(root, "build/bench/report.json"), `${JSON.stringify(report, undefined, 2)}\n`);
}

/** Puts the table between its marks in the README. */
export async function writeReadme(report: Report): Promise<void> {
  const path = join(root, "README.md");
  const readme = await readFile(path, "utf8");
  const [before, rest] = readme.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md lacks ${START} … ${END}`);
  await writeFile(path, `${before}${START}\n${tableOf(report)}\n${END}${after}`);
}

/** A figure with the range of its rounds. */
export function inWords(measured: Measured | undefined, unit: string): string {
  if (measured === undefined) return "n/a";
  const { median, least, most } = measured;
  return `${rounded(median)} ${unit} (${rounded(least)}–${rounded(most)})`;
}

export function percent(measured: Measured): string {
  return `${Math.round(spreadOf(measured) * 100)} %`;
}

function judgedValue({ value, unit }: Judged): string {
  if (typeof value === "number") return `${rounded(value)} ${unit}`;
  if (unit !== "×") return `${rounded(value.median)} ${unit}`;
  const [median, least, most] = [value.median, value.least, value.most].map((ratio) => ratio.toFixed(2));
  return `${median}× (${least}–${most})`;
}

function targetOf({ value, target, unit, atLeast = false }: Judged): string {
  const judged = typeof value === "number" ? value : value.median;
  const met = atLeast ? judged >= target : judged <= target;
  const words = unit === "×" ? `${target}×` : `${rounded(target)} ${unit}`;
  return `${atLeast ? "≥" : "≤"} ${words}: ${Number.isNaN(judged) ? "n/a" : met ? "ok" : "**missed**"}`;
}

function rounded(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });
}
