import { createHash } from "node:crypto";
import * as z from "zod";

/** Runs statements on a database, all or none, and returns each one's rows. */
export type Execute = (id: string, sql: string) => Promise<{ results: unknown }[]>;

const query = z.object({ sql: z.string() });
const importing = z.object({ action: z.enum(["init", "ingest", "poll"]) });
const names = z.array(z.object({ name: z.string(), sql: z.string().nullable(), type: z.string() }));
const rowsOf = z.array(z.object({ row: z.string() }));

/** The part of D1's API that Wrangler uses: https://developers.cloudflare.com/api/resources/d1/subresources/database/ */
export function d1Api(execute: Execute, origin: () => string) {
  const uploads = new Map<string, string>();

  /** A database as SQL, as D1 exports it. */
  async function dump(id: string): Promise<string> {
    const [found] = await execute(id, "SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB '_cf_*'");
    const all = names.parse(found?.results).filter(({ sql }) => sql !== null);
    const lines = ["PRAGMA defer_foreign_keys=TRUE;"];
    for (const { name, sql } of all.filter(({ type, name }) => type === "table" && !name.startsWith("sqlite_"))) {
      lines.push(`${sql};`);
      const [columns] = await execute(id, `SELECT name FROM pragma_table_info('${name}')`);
      const values = z.array(z.object({ name: z.string() })).parse(columns?.results);
      const quoted = values.map((column) => `quote("${column.name}")`).join(" || ',' || ");
      const [rows] = await execute(id, `SELECT ${quoted} AS row FROM "${name}"`);
      lines.push(...rowsOf.parse(rows?.results).map(({ row }) => `INSERT INTO "${name}" VALUES(${row});`));
    }
    return [...lines, ...all.filter(({ type }) => type !== "table").map(({ sql }) => `${sql};`)].join("\n");
  }

  /** The answer's `result`; undefined: it is not about D1. @param path below the account's */
  async function resultOf(method: string, path: string, body: string): Promise<unknown> {
    const [, id = "", rest = ""] = /^\/d1\/database\/([^/?]+)\/?([^?]*)/.exec(path) ?? [];
    if (id === "") return undefined;
    if (rest === "") return { uuid: id, version: "production" };
    if (rest === "query") return execute(id, query.parse(JSON.parse(body)).sql);
    if (rest === "export")
      return { success: true, messages: [], status: "complete", result: { signed_url: `${origin()}/signed/${id}` } };
    if (rest.startsWith("time_travel/")) return { bookmark: "a-bookmark", previous_bookmark: "the-bookmark-before" };
    if (rest !== "import" || method !== "POST") return undefined;
    const done = { success: true, messages: [], filename: id };
    if (importing.parse(JSON.parse(body)).action === "init") return { ...done, upload_url: `${origin()}/signed/${id}` };
    const executed = await execute(id, uploads.get(id) ?? "");
    const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
    return {
      ...done,
      status: "complete",
      result: { num_queries: executed.length, final_bookmark: "a-bookmark", meta },
    };
  }

  /** The signed URLs of an export, and of a file to import. */
  async function signed(method: string, id: string, body: string): Promise<Response> {
    if (method === "GET") return new Response(await dump(id));
    uploads.set(id, body);
    return new Response("", { headers: { etag: createHash("md5").update(body).digest("hex") } });
  }

  return { resultOf, signed };
}
