import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { FAULTS } from "./faults";
import { live, report, search, shrink } from "./history";
import { loadApi } from "./load-api";
import { globals } from "./world";

/*
 * `npm run simulate`: so many sign-ups, in two processes; with `--visitors` one history again, step by step; with
 * `--faults` the planted faults, one after the other.
 */

const { values } = parseArgs({
  options: {
    signups: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    visitors: { type: "string" },
    only: { type: "string", multiple: true },
    fault: { type: "string" },
    faults: { type: "boolean" },
    part: { type: "string" },
  },
});

const PARTS = 2;
const FOUND_WITHIN_MS = 60_000;
const seed = Number(values.seed);
// The errors of simulated faults are many, and nobody reads where they come from.
Error.stackTraceLimit = 0;

async function searchPart(part: number): Promise<boolean> {
  const loaded = await loadApi(globals);
  const started = performance.now();
  const goesOn = (signUps: number) => signUps < Number(values.signups) / PARTS;
  const { signUps, histories, failing } = await search(loaded, { seed: seed + part, step: PARTS, goesOn });
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `Seed ${seed}, part ${part}: ${signUps} sign-ups in ${histories} histories, ${(signUps / seconds).toFixed(0)} a second`,
  );
  if (failing) console.log(await report(await shrink(failing, loaded), loaded));
  return failing === undefined;
}

async function searchAll(): Promise<boolean> {
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const child = fork(fileURLToPath(import.meta.url), [
      ...process.argv.slice(2),
      "--seed",
      values.seed,
      "--part",
      String(part),
    ]);
    return new Promise<boolean>((resolve) => child.once("exit", (code) => resolve(code === 0)));
  });
  return (await Promise.all(parts)).every((succeeded) => succeeded);
}

/** Whether the simulation finds each bug of the list. */
async function findFaults(): Promise<boolean> {
  let all = true;
  for (const fault of FAULTS.filter(({ name }) => name.includes(values.fault ?? ""))) {
    const loaded = await loadApi(globals, fault);
    const started = performance.now();
    const goesOn = () => performance.now() - started < FOUND_WITHIN_MS;
    const { failing, histories } = await search(loaded, { seed, goesOn });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const [violation] = failing ? (await live(failing, loaded)).violations : [];
    console.log(
      `${violation ? "found" : "NOT FOUND"} in ${histories} histories, ${seconds} s: ${fault.name}: ${violation ?? ""}`,
    );
    all &&= failing !== undefined;
  }
  return all;
}

async function replay(visitors: string): Promise<boolean> {
  const fault = FAULTS.find(({ name }) => name === values.fault);
  const loaded = await loadApi(globals, fault);
  const history = { seed, visitors: visitors.split(",").map(Number), ...(values.only && { only: values.only }) };
  console.log(await report(history, loaded, values.fault));
  return (await live(history, loaded)).violations.length === 0;
}

async function main(): Promise<boolean> {
  if (values.visitors !== undefined) return replay(values.visitors);
  if (values.faults) return findFaults();
  return values.part === undefined ? searchAll() : searchPart(Number(values.part));
}

process.exitCode = (await main()) ? 0 : 1;
