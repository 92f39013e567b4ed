import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { report, search, shrink } from "./history";
import { loadApi } from "./loaded-api";

/* `npm run simulate -- --histories N --seed S`: so many histories from that seed on, in two processes. */

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "40" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    part: { type: "string" },
  },
});
const PARTS = 2;
const seed = z.coerce.number().int().parse(values.seed);
/** Of each part. */
const histories = Math.ceil(z.coerce.number().int().positive().parse(values.histories) / PARTS);
// The errors of simulated faults are many, and nobody reads where they come from.
Error.stackTraceLimit = 0;

async function searchPart(part: number): Promise<boolean> {
  const loaded = await loadApi();
  const started = performance.now();
  const first = seed + part * histories;
  const { signUps, histories: lived, failing } = await search(loaded, first, histories);
  const rate = (signUps / (performance.now() - started)) * 1000;
  console.log(`Seeds from ${first} on: ${signUps} sign-ups in ${lived} histories, ${rate.toFixed(0)} a second`);
  if (failing) console.log(await report(await shrink(failing, loaded), loaded));
  return failing === undefined;
}

async function searchAll(): Promise<boolean> {
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const args = [...process.argv.slice(2), "--seed", values.seed, "--part", String(part)];
    const execArgv = [...process.execArgv, "--max-semi-space-size=64"];
    const child = fork(fileURLToPath(import.meta.url), args, { execArgv });
    return new Promise<boolean>((resolve) => child.once("exit", (code) => resolve(code === 0)));
  });
  return (await Promise.all(parts)).every((succeeded) => succeeded);
}

const succeeded = values.part === undefined ? searchAll() : searchPart(Number(values.part));
process.exitCode = (await succeeded) ? 0 : 1;
