import * as z from "zod";
import type { Wrapper } from "../../support/workers/workers";

const statement = z.object({ sql: z.string(), values: z.array(z.unknown()), rowsRead: z.number() });

/** A statement sent to D1, and its cost. */
export type RecordedStatement = z.output<typeof statement>;

/** The API over a database that records every statement, batches included. */
export function recordedDatabase(): { wrapper: Wrapper; recorded: RecordedStatement[] } {
  const recorded: RecordedStatement[] = [];
  const recorder = async (request: Request) => {
    recorded.push(...z.array(statement).parse(await request.json()));
    return new Response();
  };
  return { wrapper: { script: SCRIPT, services: { RECORDER: recorder } }, recorded };
}

const SCRIPT = /* js */ `
import worker from "./worker.js";

class RecordedStatement {
  constructor(real, sql, values, record) {
    Object.assign(this, { real, sql, values, record });
  }
  bind(...values) {
    return new RecordedStatement(this.real.bind(...values), this.sql, values, this.record);
  }
  async all() {
    const result = await this.real.all();
    await this.record([this], [result]);
    return result;
  }
  run() {
    return this.all();
  }
  async first(column) {
    const [row] = (await this.all()).results;
    if (row === undefined) return null;
    return column === undefined ? row : row[column];
  }
}

function recording({ DB, ...env }) {
  const record = (statements, results) => {
    const recorded = statements.map(({ sql, values }, index) => ({ sql, values, rowsRead: results[index].meta.rows_read }));
    return env.RECORDER.fetch("http://recorder", { method: "POST", body: JSON.stringify(recorded) });
  };
  return {
    ...env,
    DB: {
      prepare: (sql) => new RecordedStatement(DB.prepare(sql), sql, [], record),
      batch: async (statements) => {
        const results = await DB.batch(statements.map(({ real }) => real));
        await record(statements, results);
        return results;
      },
    },
  };
}

export default {
  fetch: (request, env, context) => worker.fetch(request, recording(env), context),
  scheduled: (controller, env, context) => worker.scheduled(controller, recording(env), context),
};
`;
