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
  /** What single requests of an attacker cost. */
  attacks: Row[];
}

/** The table as Markdown, with its date and its machine. */
export function tableOf({ rows, ...report }: Report): string {
  const lines = rows.map(({ what, site, control = [], judged }) => {
    const value = judged ? shown([judged.value, judged.unit]) : "";
    return [what, site.map(shown).join(", "), control.map(shown).join(", "), value, judged ? verdict(judged) : ""];
  });
  return `${measured(report)}

| What | Site | Control | Judged | Limit |
| --- | --- | --- | --- | --- |
${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}`;
}

/** The table of attacks as Markdown, the dearest first. */
export function tableOfAttacks({ attacks, ...report }: Omit<Report, "rows">): string {
  const median = ({ judged }: Row) => (typeof judged?.value === "object" ? judged.value.median : Number.NaN);
  const sorted = [...attacks].sort((one, other) => median(other) - median(one));
  const lines = sorted.map(
    ({ what, site, judged }) => `| ${what} | ${site.map(shown).join(", ")} | ${judged ? verdict(judged) : ""} |`,
  );
  return `${measured(report)}

| Request | Site | Limit |
| --- | --- | --- |
${lines.join("\n")}`;
}

function measured({ date, machine, load }: Pick<Report, "date" | "machine" | "load">): string {
  return `Measured on ${date}: ${machine}, load average up to ${load.toFixed(1)}.`;
}

/** Puts the tables that were measured between their marks in docs/benchmark.md. */
export async function writeDocument(report: Report): Promise<void> {
  if (report.rows.length > 0) await writeTable("bench", tableOf(report));
  if (report.attacks.length > 0) await writeTable("attacks", tableOfAttacks(report));
}

async function writeTable(mark: string, table: string): Promise<void> {
  const path = join(root, "docs/benchmark.md");
  const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [before, rest] = (await readFile(path, "utf8")).split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/benchmark.md lacks ${start} … ${end}`);
  await writeFile(path, `${before}${start}\n${table}\n${end}${after}`);
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
