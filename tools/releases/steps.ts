import { messageOf } from "../failures";
import type { Stage } from "../wrangler/wrangler";

export type Step = {
  /** What is live once the step has ended, such as `site: commit 0123456789ab`. */
  result: string;
  /** Does it. Throws if it fails; then it can be done again. */
  run: () => void | Promise<void>;
  /** The part that went live although the step failed. */
  reached?: () => string | undefined;
};

/**
 * Does the steps in order. Its last lines say what is live, what is not and how to continue. @returns if all were done
 * @param prepare changes nothing yet; returns undefined, having said why, if the release cannot begin
 * @param again the command that continues after a failure; steps that were done are repeated without harm
 */
export async function runSteps(
  stage: Stage,
  prepare: () => Promise<readonly Step[] | undefined>,
  { again, next }: { again: string; next: string },
): Promise<boolean> {
  let steps: readonly Step[] = [];
  const live: string[] = [];
  let failed: Step | undefined;
  try {
    const prepared = await prepare();
    if (prepared === undefined) return nothingChanged(stage, again);
    steps = prepared;
    for (const step of steps) {
      failed = step;
      await step.run();
      live.push(step.result);
    }
  } catch (error) {
    console.log(messageOf(error));
    if (failed === undefined) return nothingChanged(stage, again);
    const part = reachedBy(failed);
    list(`Live in ${stage}:`, [...live, ...(part === undefined ? [] : [part])]);
    list(
      "Not live:",
      steps.slice(live.length).map(({ result }) => result),
    );
    console.log(`To continue, correct the problem above, then: ${again}`);
    return false;
  }
  list(`Live in ${stage}:`, live);
  console.log(`Everything is live. To check it: ${next}`);
  return true;
}

function reachedBy(step: Step): string | undefined {
  try {
    return step.reached?.();
  } catch (error) {
    return `unknown: ${messageOf(error)}`;
  }
}

function nothingChanged(stage: Stage, again: string): false {
  console.log(`Nothing was changed in ${stage}. To continue, correct the problem above, then: ${again}`);
  return false;
}

function list(heading: string, results: readonly string[]): void {
  console.log([heading, ...(results.length > 0 ? results : ["nothing of this release"])].join("\n  "));
}
