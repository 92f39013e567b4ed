import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { failureIn, runWrangler } from "../../../tools/wrangler/wrangler";

/* Wrangler is run as a process of its own, which may never end. */

/** Runs a program instead of Wrangler. */
async function run(code: string, withinMs?: number) {
  const folder = await mkdtemp(join(tmpdir(), "wrangler-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, "wrangler.mjs");
  writeFileSync(program, code);
  return runWrangler(["secret", "list"], { stage: "staging", folder: ".", program, withinMs });
}

test("Wrangler gets the stage and the Worker's folder, without questions and colors", async () => {
  const { succeeded, stdout } = await run(
    "console.log(...process.argv.slice(2), process.env.CI, process.env.FORCE_COLOR)",
  );
  expect({ succeeded, stdout }).toEqual({ succeeded: true, stdout: "secret list --env staging --cwd . 1 0\n" });
});

test("a Wrangler that fails has failed, with what it wrote", async () => {
  const { succeeded, output } = await run("console.error('✘ [ERROR] No.'); process.exitCode = 1");
  expect({ succeeded, says: failureIn(output) }).toEqual({ succeeded: false, says: "Wrangler says: No." });
});

test("a Wrangler that never ends is ended, and has failed", async () => {
  const { succeeded, output } = await run("setInterval(() => {}, 1_000)", 1);
  expect({ succeeded, says: failureIn(output) }).toEqual({
    succeeded: false,
    says: "Wrangler says: no answer within 0.001 seconds",
  });
});
