import { spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as z from "zod";
import { root } from "./root";
import { startSiteWorkerd } from "./site-worker";
import { type Measured, measuredOf } from "./statistics";

/** Bytes of the Worker's script, gzip. */
export async function workerBytes(): Promise<number> {
  return gzipSync(await readFile(join(root, "build/site/site.js"))).length;
}

/** Milliseconds from the start of a fresh workerd to its first page. */
export async function firstAnswer(times: number): Promise<Measured> {
  const durations: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const site = await startSiteWorkerd({ name: "fresh" });
    durations.push(site.firstAnswerAfter);
    await site.dispose();
  }
  return measuredOf(durations);
}

/** How many times a page is made for a number of visitors who come at once to a fresh isolate. */
export async function pagesMadeFor(visitors: number): Promise<number> {
  const site = await startSiteWorkerd({ name: "herd", firstPath: "/health" });
  try {
    const answers = await Promise.all(Array.from({ length: visitors }, () => fetch(`${site.url}/pricing`)));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    if (new Set(bodies).size !== 1) throw new Error("Visitors who came at once got different pages");
  } finally {
    await site.dispose();
  }
  const log = await readFile(site.logFile, "utf8");
  return log.split("\n").filter((line) => line.includes('"page_made"')).length;
}

const profile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: z.object({ functionName: z.string() }) })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/**
 * Milliseconds of CPU that Wrangler's own check counts for the script's start; undefined where it does not run, or the
 * start is too short for its samples.
 */
export async function checkedStartUp(): Promise<number | undefined> {
  const file = join(root, "build/bench/startup.cpuprofile");
  await rm(file, { force: true });
  spawnSync(
    process.execPath,
    [join(root, "node_modules/wrangler/bin/wrangler.js"), ...["check", "startup", "--args=--env=", "--outfile", file]],
    { cwd: root, env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" }, timeout: 60_000, stdio: "ignore" },
  );
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { nodes, samples, timeDeltas } = profile.parse(JSON.parse(text));
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id));
  const busy = samples.reduce((sum, id, index) => sum + (idle.has(id) ? 0 : (timeDeltas[index] ?? 0)), 0);
  return busy === 0 ? undefined : busy / 1000;
}
