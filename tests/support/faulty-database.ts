import type { Wrapper } from "./workers";

/** What happens to a statement or a batch: the database is not reached; it is, but its answer is lost. */
export type DatabaseFault = "refuse" | "lose-answer";

/** A statement, or the statements of a batch, with their values. */
export type DatabaseCall = { sql: string; values: unknown[] };

/**
 * The API over a database that fails on demand, as D1 does when it is overloaded or lost.
 * @param faultOf asked before every statement and batch
 */
export function onFaultyDatabase(faultOf: (call: DatabaseCall) => DatabaseFault | undefined): Wrapper {
  const decide = async (request: Request) => {
    const call: DatabaseCall = JSON.parse(await request.text());
    return new Response(faultOf(call) ?? "");
  };
  return { script: SCRIPT, services: { FAULTS: decide } };
}

const SCRIPT = /* js */ `
import worker from "./worker.js";

class FaultyStatement {
  constructor(real, sql, values, guard) {
    Object.assign(this, { real, sql, values, guard });
  }
  bind(...values) {
    return new FaultyStatement(this.real.bind(...values), this.sql, values, this.guard);
  }
  first(...args) {
    return this.guard([this], () => this.real.first(...args));
  }
  run() {
    return this.guard([this], () => this.real.run());
  }
  all() {
    return this.guard([this], () => this.real.all());
  }
}

function faulty({ DB, FAULTS, ...env }) {
  const guard = async (statements, work) => {
    const sql = statements.map((statement) => statement.sql).join("; ");
    const values = statements.flatMap((statement) => statement.values);
    const answer = await FAULTS.fetch("http://faults/", { method: "POST", body: JSON.stringify({ sql, values }) });
    const fault = await answer.text();
    if (fault === "refuse") throw new Error("D1_ERROR: Network connection lost.");
    const result = await work();
    if (fault === "lose-answer") throw new Error("D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.");
    return result;
  };
  return {
    ...env,
    DB: {
      prepare: (sql) => new FaultyStatement(DB.prepare(sql), sql, [], guard),
      batch: (statements) => guard(statements, () => DB.batch(statements.map(({ real }) => real))),
    },
  };
}

export default {
  fetch: (request, env, context) => worker.fetch(request, faulty(env), context),
  scheduled: (controller, env, context) => worker.scheduled(controller, faulty(env), context),
};
`;
