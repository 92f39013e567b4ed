import type { Wrapper } from "../workers/workers";

/** A statement or batch that does not reach the database, or whose answer is lost. */
export type DatabaseFault = "refuse" | "lose-answer";

/** The SQL and the values of a statement, or of all statements of a batch. */
export type DatabaseCall = { sql: string; values: unknown[] };

/**
 * The API over a database that fails on demand, as D1 does when it is overloaded or lost.
 * @param faultsUrl answers each posted DatabaseCall with its fault, or with nothing
 */
export function faultyDatabase(faultsUrl: string): Wrapper {
  return { script: SCRIPT.replace("FAULTS_URL", JSON.stringify(faultsUrl)), services: {} };
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

function faulty({ DB, ...env }) {
  const guard = async (statements, work) => {
    const sql = statements.map((statement) => statement.sql).join("; ");
    const values = statements.flatMap((statement) => statement.values);
    const answer = await fetch(FAULTS_URL, { method: "POST", body: JSON.stringify({ sql, values }) });
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
