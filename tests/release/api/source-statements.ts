import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const API = join(import.meta.dirname, "../../../functions/subscription-api");

export const oneLine = (sql: string) => sql.replaceAll(/\s+/g, " ").trim();

/** True if a statement contains the parts one after another. */
export function hasInOrder(sql: string, parts: string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = sql.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

/** SQL statements in the API's source, each split at its interpolations. */
export function statementsInSource(): string[][] {
  // The statements for a restored database run once, in maintenance.
  const files = readdirSync(API, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith("after-restore.ts"),
  );
  return files.flatMap((file) => {
    const literals = readFileSync(join(API, file), "utf8").matchAll(
      /(["`])(\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s.*?)\1/gs,
    );
    return [...literals].map(([, , sql = ""]) => sql.split(/\$\{[^}]*\}/).map(oneLine));
  });
}
