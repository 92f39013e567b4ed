import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/v4/core";
import { company } from "../app/company";
import { settings as siteSettings } from "../app/pipeline/settings/configuration.server";
import { settings as apiSettings } from "../functions/subscription-api/config";

// npm run docs: writes the tables of settings into the operator's handbook.

const root = fileURLToPath(new URL("..", import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), "utf8");

export const HANDBOOK = "docs/operations.md";

const TABLES = {
  "settings of the site": () => settingsTable(siteSettings, "app/pipeline/settings/configuration.server.ts"),
  "settings of the API": () => settingsTable(apiSettings, "functions/subscription-api/config.ts"),
};

/**
 * Returns the handbook with up-to-date generated tables. Each table is between two comments with its title.
 * Throws an error if the handbook lacks a table's comments, or a setting has no doc comment.
 */
export function withTables(handbook: string): string {
  return Object.entries(TABLES).reduce((text, [title, table]) => {
    const [start, end] = [`<!-- ${title} -->`, `<!-- /${title} -->`];
    const [before, rest] = text.split(start);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`${HANDBOOK} has no place for the ${title}`);
    return `${before}${start}\n${table()}\n${end}${after}`;
  }, handbook);
}

/** @param path of the file with the schema `settings`, in which each setting has a doc comment */
function settingsTable({ shape }: { shape: Record<string, z.$ZodType> }, path: string): string {
  const schema = /export const settings = z\.object\(\{\n(.*?)\n\}\);/s.exec(textOf(path))?.[1] ?? "";
  const comments = new Map<string, string>();
  for (const [, comment = "", name = ""] of schema.matchAll(/\/\*\* (.+?) \*\/\s+(\w+):/gs)) {
    comments.set(name, comment);
  }
  const names = Object.keys(shape);
  const missing = names.filter((name) => !comments.has(name));
  if (missing.length > 0) throw new Error(`${path} has no comment beside ${missing.join(", ")}`);
  const rows = names.map((name) => [`\`${name}\``, defaultOf(shape[name]), comments.get(name) ?? ""]);
  return markdownTable(["Setting", "Default", "Meaning"], rows);
}

function defaultOf(schema: z.$ZodType | undefined): string {
  const absent = schema && z.safeParse(schema, undefined);
  if (!absent?.success) return "required";
  if (absent.data === undefined || absent.data === "") return "none";
  return absent.data === company.consoleUrl ? "in `app/company.ts`" : `\`${absent.data}\``;
}

function markdownTable(headings: string[], rows: string[][]): string {
  return [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(root, HANDBOOK), withTables(textOf(HANDBOOK)));
}
