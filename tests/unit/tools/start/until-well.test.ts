import { expect, test, vi } from "vitest";
import { untilWell } from "../../../../tools/start/until-well";
import { outcomeOf } from "../outcome";

/* npm start waits for each Worker, and ends with the answer of one that does not become healthy. */

const URL_OF_HEALTH = "http://localhost:8788/health";
const HOURS = 3_600_000;

/** Waits for a Worker that gives these answers one after the other; the last one repeats. */
async function wait(answers: (() => Response)[], withinMs: number) {
  let asked = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    if (!answer) throw new Error("A Worker needs an answer");
    return answer();
  });
  const outcome = await outcomeOf(async () => {
    await untilWell("subscription-api", URL_OF_HEALTH, { withinMs, everyMs: 0 });
    return true;
  });
  return { ...outcome, asked };
}

const well = () => Response.json({ status: "ok" });
const wrong = () => new Response('{"problems":[{"name":"OPERATOR_TOKEN"}]}', { status: 503 });
const failed = () => new Response("<!doctype html>", { status: 500 });
const unreachable = () => {
  throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:8788") });
};

test.each([
  { what: "healthy at once", answers: [well], asked: 1 },
  { what: "healthy after one answer", answers: [wrong, well], asked: 2 },
  { what: "healthy after three answers", answers: [failed, wrong, failed, well], asked: 4 },
])("a Worker that is $what is asked $asked times", async ({ answers, asked }) => {
  expect(await wait(answers, HOURS)).toMatchObject({ exitCode: 0, last: "", asked });
});

test.each([
  { what: "has a wrong setting", answer: wrong, says: '{"problems":[{"name":"OPERATOR_TOKEN"}]}' },
  { what: "answers HTML", answer: failed, says: "<!doctype html>" },
])("a Worker that $what in the end is named with its answer, and ends the command with 1", async ({ answer, says }) => {
  const { exitCode, lines } = await wait([answer], 0);
  const named = `The Worker subscription-api is not ready. ${URL_OF_HEALTH} says:`;
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [named, says, "Its log is above."] });
});

test("a Worker that cannot be reached ends the command with 1 at once, in one line", async () => {
  const { exitCode, lines, asked } = await wait([unreachable], HOURS);
  const says = "The host cannot be reached (connect ECONNREFUSED 127.0.0.1:8788): check the network.";
  expect({ exitCode, lines, asked }).toEqual({ exitCode: 1, lines: [says], asked: 1 });
});
