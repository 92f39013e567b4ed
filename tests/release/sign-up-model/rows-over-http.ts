import * as z from "zod";
import type { Wrapper } from "../../support/workers/workers";

const PATH = "/rows-for-tests";

/** The API, whose database can be read over HTTP: Miniflare's synchronous proxies stop working once in many thousand calls. */
export const rowsOverHttp: Wrapper = {
  script: /* js */ `
import worker from "./worker.js";
export * from "./worker.js";
export default {
  ...worker,
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== "${PATH}") return worker.fetch(request, env, context);
    const { sql, values } = await request.json();
    const { results } = await env.DB.prepare(sql).bind(...values).all();
    return Response.json(results);
  },
};
`,
};

/** All rows of a query on the database of such an API. */
export async function fastRows(api: { url: string }, sql: string, ...values: unknown[]) {
  const response = await fetch(api.url + PATH, {
    method: "POST",
    // A kept connection may be closed just when it is used again.
    headers: { Connection: "close" },
    body: JSON.stringify({ sql, values }),
  });
  return z.array(z.record(z.string(), z.unknown())).parse(await response.json());
}
