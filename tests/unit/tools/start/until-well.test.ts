import { expect, test, vi } from "vitest";
import { untilWell } from "../../../../tools/start/until-well";
import { outcomeOf } from "../outcome";

/* npm start waits for each Worker, and ends with the answer of one that does not become healthy. */

const URL_OF_HEALTH = "http://localhost:8788/health";
const HOURS = 3_600_000;
const PROBLEM = '{"keys":["OPERATOR_TOKEN"]}';

type Answer = () => Response;
const well: Answer = () => Response.json({ status: "ok" });
const wrong: Answer = () => new Response(PROBLEM, { status: 503 });
const maintained: Answer = () => Response.json({ keys: ["MAINTENANCE"] }, { status: 503 });
const failed: Answer = () => new Response("<!doctype html>", { status: 500 });
const unreachable: Answer = () => {
  throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:8788") });
};
const WRONG = [`The Worker subscription-api is not ready. ${URL_OF_HEALTH} says:`, PROBLEM, "Its log is above."];
const UNREACHABLE = "The host cannot be reached (connect ECONNREFUSED 127.0.0.1:8788): check the network.";

/** The Worker gives its answers one after the other. */
test.each<{ what: string; answers: Answer[]; withinMs?: number; exitCode?: number; lines?: string[] }>([
  { what: "is in maintenance, as its settings say", answers: [maintained] },
  { what: "is healthy after two answers", answers: [failed, wrong, well] },
  { what: "has a wrong setting in the end", answers: [wrong], withinMs: 0, exitCode: 1, lines: WRONG },
  { what: "cannot be reached", answers: [unreachable], exitCode: 1, lines: [UNREACHABLE] },
])("npm start waits for a Worker that $what as long as it must, and ends with its answer", async (row) => {
  const { answers, withinMs = HOURS, exitCode = 0, lines = [] } = row;
  const left = [...answers];
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    const next = left.shift();
    if (!next) throw new Error("Asked once too often");
    return next();
  });
  const outcome = await outcomeOf(async () => {
    await untilWell("subscription-api", URL_OF_HEALTH, { withinMs, everyMs: 0 });
    return true;
  });
  expect({ ...outcome, left }).toMatchObject({ exitCode, lines, left: [] });
});
