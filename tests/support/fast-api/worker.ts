import { createHash } from "node:crypto";
import type { D1Database, ExecutionContext } from "@cloudflare/workers-types";
import Stripe from "stripe";
import * as z from "zod";
import { createApi } from "../../../functions/subscription-api/app";
import { ROWS_PATH } from "./rows";

/*
 * The subscription API for tests that are about neither passwords nor waiting: a hash that costs nothing, and retries of
 * calls to Stripe after 20 ms instead of half a second or more.
 */

const digest = (password: string) => createHash("sha256").update(password).digest("base64");

Stripe.prototype.getInitialNetworkRetryDelay = () => 0.02;
Stripe.prototype.getMaxNetworkRetryDelay = () => 0.02;

/** A line of log for each hash, so that tests can count them. */
const hashed = () => console.info(JSON.stringify({ event: "password_hashed" }));

const { publicApi, SiteApi } = createApi({
  async hash(password) {
    hashed();
    return digest(password);
  },
  async verify(password, stored) {
    hashed();
    return digest(password) === stored;
  },
});

/** Reads the database over HTTP: Miniflare's synchronous proxies stop working once in many thousand calls. */
async function readRows(request: Request, db: D1Database): Promise<Response> {
  const { sql, values } = z.object({ sql: z.string(), values: z.array(z.unknown()) }).parse(await request.json());
  const { results } = await db
    .prepare(sql)
    .bind(...values)
    .all();
  return Response.json(results);
}

export default {
  ...publicApi,
  fetch(request: Request, env: { DB: D1Database }, execution: ExecutionContext) {
    const isOfTests = new URL(request.url).pathname === ROWS_PATH;
    return isOfTests ? readRows(request, env.DB) : publicApi.fetch(request, env, execution);
  },
};
export { SiteApi };
