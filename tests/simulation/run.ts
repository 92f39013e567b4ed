import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadApi } from "../support/api-in-process/platform";
import { report, search, shrink } from "./history";

/* `npm run simulate`: so many sign-ups, in two processes. */

const { values } = parseArgs({
  options: {
    signups: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    part: { type: "string" },
  },
});
const PARTS = 2;
const seed = Number(values.seed);
// The errors of simulated faults are many, and nobody reads where they come from.
Error.stackTraceLimit = 0;

async function searchPart(part: number): Promise<boolean> {
  const loaded = await loadApi();
  const started = performance.now();
  const goesOn = (signUps: number) => signUps < Number(values.signups) / PARTS;
  const { signUps, histories, failing } = await search(loaded, seed + part, PARTS, goesOn);
  const rate = (signUps / (performance.now() - started)) * 1000;
  console.log(`Seed ${seed}, part ${part}: ${signUps} sign-ups in ${histories} histories, ${rate.toFixed(0)} a second`);
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
