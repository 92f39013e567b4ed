import { fork } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { report, search, shrink } from "./history";
import { loadApi } from "./loaded-api";
import { table } from "./reached";

/*
 * `npm run simulate -- --sign-ups N --seed S`: histories from that seed on until so many sign-ups were made, in two processes.
 * `--seeds FILE` has the seeds that were the first to reach a pair of step and fault: they come first, and the file is
 * written anew. With `--floor N` fewer pairs are a failure.
 */

const { values } = parseArgs({
  options: {
    "sign-ups": { type: "string", default: "400" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    seeds: { type: "string" },
    floor: { type: "string", default: "0" },
    part: { type: "string" },
  },
});
const PARTS = 2;
const SEEDS_OF_A_PART = 1_000_000;
const number = z.coerce.number().int().nonnegative();
const signUps = Math.ceil(number.parse(values["sign-ups"]) / PARTS);
const knownSeeds = () => (values.seeds && existsSync(values.seeds) ? readFileSync(values.seeds, "utf8") : "[]");
const known = z.array(z.number()).parse(JSON.parse(knownSeeds()));
const reachedByPart = z.array(z.tuple([z.string(), z.number()]));
// Simulated faults create many errors, whose stacks are never read.
Error.stackTraceLimit = 0;

async function searchPart(part: number): Promise<boolean> {
  const loaded = await loadApi();
  const started = performance.now();
  const first = number.parse(values.seed) + part * SEEDS_OF_A_PART;
  const own = known.filter((_, index) => index % PARTS === part);
  const { failing, reached, ...made } = await search(loaded, { first, signUps, known: own });
  const rate = (made.signUps / (performance.now() - started)) * 1000;
  console.log(
    `From seed ${first}: ${made.signUps} sign-ups in ${made.histories} histories, ${rate.toFixed(0)} a second`,
  );
  if (failing) console.log(await report(await shrink(failing, loaded), loaded));
  process.send?.([...reached]);
  return failing === undefined;
}

async function searchAll(): Promise<boolean> {
  const reached = new Map<string, number>();
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const args = [...process.argv.slice(2), "--seed", values.seed, "--part", String(part)];
    const execArgv = [...process.execArgv, "--max-semi-space-size=64"];
    const child = fork(fileURLToPath(import.meta.url), args, { execArgv });
    child.on("message", (sent) => {
      for (const [pair, seed] of reachedByPart.parse(sent)) if (!reached.has(pair)) reached.set(pair, seed);
    });
    return new Promise<boolean>((resolve) => child.once("close", (code) => resolve(code === 0)));
  });
  const succeeded = (await Promise.all(parts)).every((isSound) => isSound);
  console.log(`${table(reached.keys())}\n${reached.size} pairs of a step and a fault`);
  if (values.seeds) writeFileSync(values.seeds, JSON.stringify([...new Set(reached.values())]));
  if (reached.size >= number.parse(values.floor)) return succeeded;
  console.log(`Fewer than ${values.floor}`);
  return false;
}

const succeeded = values.part === undefined ? searchAll() : searchPart(number.parse(values.part));
process.exitCode = (await succeeded) ? 0 : 1;
