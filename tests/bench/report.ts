import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root";
import type { Measured } from "./statistics";

/** A figure with its unit; several rounds are shown as their median and range. */
export type Figure = [value: number | Measured, unit: string];

/** A line of the table. */
export interface Row {
  what: string;
  site: Figure[];
  /** What it is measured beside, where there is something. */
  control?: Figure[];
  /** The figure that is judged, several rounds by their median; without a limit it is only shown. */
  judged?: { value: number | Measured; unit: "×" | "bytes" | "µs"; atMost?: number; atLeast?: number };
}

export interface Report {
  date: string;
  machine: string;
  /** The highest load average during the run. */
  load: number;
  rows: Row[];
}

const START = "<!-- bench -->";
const END = "<!-- /bench -->";

/** The table as Markdown, with its date and its machine. */
export function tableOf({ date, machine, load, rows }: Report): string {
  const lines = rows.map(({ what, site, control = [], judged }) => {
    const value = judged ? shown([judged.value, judged.unit]) : "";
    return [what, site.map(shown).join(", "), control.map(shown).join(", "), value, judged ? verdict(judged) : ""];
  });
  return `Measured on ${date}: ${machine}, load average up to ${load.toFixed(1)}.

| What | Site | Control | Judged | Limit |
| --- | --- | --- | --- | --- |
${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}`;
}

/** Puts the table between its marks in docs/benchmark.md. */
export async function writeDocument(report: Report): Promise<void> {
  const path = join(root, "docs/benchmark.md");
  const document = await readFile(path, "utf8");
  const [before, rest] = document.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/benchmark.md lacks ${START} … ${END}`);
  await writeFile(path, `${before}${START}\n${tableOf(report)}\n${END}${after}`);
}

function shown([value, unit]: Figure): string {
  const number = (figure: number) => (unit === "×" ? figure.toFixed(2) : rounded(figure));
  const withUnit = (figure: number) => `${number(figure)}${unit === "×" ? "" : " "}${unit}`;
  if (typeof value === "number") return withUnit(value);
  return `${withUnit(value.median)} (${number(value.least)}–${number(value.most)})`;
}

function verdict({ value, unit, atMost, atLeast }: NonNullable<Row["judged"]>): string {
  const limit = atMost ?? atLeast;
  if (limit === undefined) return "";
  const judged = typeof value === "number" ? value : value.median;
  const isMet = atMost !== undefined ? judged <= limit : judged >= limit;
  const words = unit === "×" ? `${limit}×` : `${rounded(limit)} ${unit}`;
  return `${atMost !== undefined ? "≤" : "≥"} ${words}: ${Number.isNaN(judged) ? "not measured" : isMet ? "met" : "**missed**"}`;
}

function rounded(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });
}
