import * as z from "zod";

const statements = z.array(z.object({ sql: z.string(), values: z.array(z.unknown()), rowsRead: z.number() }));

/** Options of an API whose database records every statement, batches included, and its cost. */
export function recordedDatabase() {
  const recorded: z.output<typeof statements> = [];
  const recorder = async (request: Request) => {
    recorded.push(...statements.parse(await request.json()));
    return new Response();
  };
  return { recorded, options: { wrapper: { script: SCRIPT }, miniflare: { serviceBindings: { RECORDER: recorder } } } };
}

const SCRIPT = /* js */ `
import worker from "./worker.js";

function recording({ DB, ...env }) {
  async function record(statements, results) {
    const recorded = statements.map(({ sql, values }, at) => ({ sql, values, rowsRead: results[at].meta.rows_read }));
    await env.RECORDER.fetch("http://recorder", { method: "POST", body: JSON.stringify(recorded) });
    return results;
  }
  function prepared(real, sql, values) {
    const bind = (...given) => prepared(real.bind(...given), sql, given);
    const all = async () => (await record([{ sql, values }], [await real.all()]))[0];
    const first = async (column) => {
      const [row] = (await all()).results;
      return (column === undefined ? row : row?.[column]) ?? null;
    };
    return { real, sql, values, bind, all, run: all, first };
  }
  const batch = async (statements) => record(statements, await DB.batch(statements.map(({ real }) => real)));
  return { ...env, DB: { prepare: (sql) => prepared(DB.prepare(sql), sql, []), batch } };
}

export default {
  fetch: (request, env, context) => worker.fetch(request, recording(env), context),
  scheduled: (controller, env, context) => worker.scheduled(controller, recording(env), context),
};
`;
