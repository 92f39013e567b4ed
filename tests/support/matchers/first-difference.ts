import { stripVTControlCharacters } from "node:util";
import { beforeEach } from "vitest";

/*
 * Puts the first difference before a failed comparison's message, which shows both values cut to one line: often the same line twice.
 */

const CONTEXT = 60;

/** @param diff Vitest's: both values' lines with signs, or a line for each value */
function firstDifference(diff: string): string {
  const lines = stripVTControlCharacters(diff).split("\n");
  const first = (sign: RegExp) =>
    lines
      .find((line) => sign.test(line))
      ?.replace(sign, "")
      .trim();
  const expected = first(/^(?:-(?! Expected$)|Expected: )/) ?? "nothing more";
  const received = first(/^(?:\+(?! Received$)|Received: )/) ?? "nothing more";
  let same = 0;
  while (same < expected.length && expected[same] === received[same]) same += 1;
  const shown = (text: string) => {
    const start = Math.max(0, same - CONTEXT);
    return `${start > 0 ? "…" : ""}${text.slice(start, same + CONTEXT)}`;
  };
  return `expected ${shown(expected)} but received ${shown(received)}`;
}

beforeEach(({ onTestFailed }) => {
  onTestFailed(({ task }) => {
    for (const error of task.result?.errors ?? [])
      if (error.diff && error.message.includes("…")) error.message = `${firstDifference(error.diff)}\n${error.message}`;
  });
});
