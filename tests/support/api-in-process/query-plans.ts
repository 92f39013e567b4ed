/** The tables that grow. There are three packages. */
const GROWING = /\b(?:sign_ups|outbox|trial_claims)\b/;
const known = new Set<string>();

/**
 * Throws for a statement that would scan or sort a table of millions of rows (docs/threats.md). Asks once for each statement.
 * @param planOf answers with the lines of SQLite's plan, https://sqlite.org/eqp.html
 */
export function requireIndex(sql: string, planOf: (explain: string) => string[]): void {
  if (known.has(sql) || !GROWING.test(sql) || !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(sql)) return;
  known.add(sql);
  const isSlow = (line: string) =>
    (/^SCAN /.test(line) && !/VIRTUAL TABLE|^SCAN \(?subquery|^SCAN CONSTANT ROW/.test(line)) ||
    // The outbox sorts no more than six messages of each kind.
    (/TEMP B-TREE|AUTOMATIC/.test(line) && !sql.includes("ROW_NUMBER() OVER"));
  const slow = planOf(`EXPLAIN QUERY PLAN ${sql}`).filter(isSlow);
  if (slow.length > 0) throw new Error(`Without an index: ${slow.join("; ")}: ${sql}`);
}
