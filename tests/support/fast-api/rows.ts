import * as z from "zod";

export const ROWS_PATH = "/rows-for-tests";

/** All rows of a query on the database of the API of worker.ts. */
export async function fastRows(api: { url: string }, sql: string, ...values: unknown[]) {
  const response = await fetch(api.url + ROWS_PATH, { method: "POST", body: JSON.stringify({ sql, values }) });
  return z.array(z.record(z.string(), z.unknown())).parse(await response.json());
}
