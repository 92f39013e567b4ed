import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Measured } from "./load";
import { root } from "./workerd";

/** A line of a table. CPU is in microseconds for each request. */
export type Row = {
  what: string;
  site?: Measured;
  /** What it is measured beside, where there is something. */
  constant?: Measured;
  /** The figure that is judged, several rounds by their median. */
  judged: { value: number | Measured; unit: "×" | "bytes" | "µs"; atMost?: number };
};

const MISSED = "**missed**";
const HEADINGS = ["What", "Site, CPU", "Constant, CPU", "Judged", "Limit"];

/** A table as Markdown, without empty columns, under the line that says where and when it was measured. */
export function tableOf(rows: Row[], measured: string): string {
  const lines = rows.map(({ what, site, constant, judged }) => {
    const cpu = [site, constant].map((figure) => (figure ? shown(figure, "µs") : ""));
    return [what, ...cpu, shown(judged.value, judged.unit), verdict(judged)];
  });
  const isUsed = (_: string, column: number) => lines.some((line) => line[column] !== "");
  const head = HEADINGS.filter(isUsed);
  const table = [head, head.map(() => "---"), ...lines.map((line) => line.filter(isUsed))];
  return `${measured}\n\n${table.map((line) => `| ${line.join(" | ")} |`).join("\n")}`;
}

/** How many rows of each limit docs/performance/benchmark.md shows. */
const SHOWN = 5;

/** The first rows of each limit, and all that miss theirs. */
export function shortened(rows: Row[]): Row[] {
  const counts = new Map<number | undefined, number>();
  return rows.filter(({ judged }) => {
    const count = (counts.get(judged.atMost) ?? 0) + 1;
    counts.set(judged.atMost, count);
    return count <= SHOWN || verdict(judged).endsWith(MISSED);
  });
}

/** Puts a table between its marks in docs/performance/benchmark.md. */
export async function writeTable(mark: string, table: string): Promise<void> {
  const path = join(root, "docs/performance/benchmark.md");
  const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [before, rest] = (await readFile(path, "utf8")).split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/performance/benchmark.md lacks ${start} … ${end}`);
  await writeFile(path, `${before}${start}\n${table}\n${end}${after}`);
}

function shown(value: number | Measured, unit: string): string {
  const number = (figure: number) => (unit === "×" ? figure.toFixed(2) : Math.round(figure).toLocaleString("en-US"));
  const withUnit = (figure: number) => `${number(figure)}${unit === "×" ? "" : " "}${unit}`;
  if (typeof value === "number") return withUnit(value);
  return `${withUnit(value.median)} (${number(value.least)}–${number(value.most)})`;
}

function verdict({ value, unit, atMost }: Row["judged"]): string {
  if (atMost === undefined) return "";
  const judged = typeof value === "number" ? value : value.median;
  const met = Number.isNaN(judged) ? "not measured" : judged <= atMost ? "met" : MISSED;
  return `≤ ${atMost.toLocaleString("en-US")}${unit === "×" ? "" : " "}${unit}: ${met}`;
}
