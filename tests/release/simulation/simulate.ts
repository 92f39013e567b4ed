import { parseArgs } from "node:util";
import * as z from "zod";
import { FAULTS, loadWith } from "./faults";
import { live, report, search } from "./history";
import { loadApi } from "./loaded-api";

/*
 * `npm run simulate -- --sign-ups N --seed S`: histories from that seed on until so many sign-ups were made.
 * `npm run simulate -- --faults`: whether the simulation finds each planted fault.
 */

const { values } = parseArgs({
  options: {
    "sign-ups": { type: "string", default: "400" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    faults: { type: "boolean" },
    only: { type: "string", default: "" },
  },
});
const number = z.coerce.number().int().nonnegative();
const wanted = { first: number.parse(values.seed), signUps: number.parse(values["sign-ups"]) };
// Simulated faults create many errors, whose stacks are never read.
Error.stackTraceLimit = 0;

if (values.faults) await findFaults();
else await simulate();

async function simulate(): Promise<void> {
  const loaded = await loadApi();
  const { failing, reached, signUps, histories } = await search(loaded, wanted);
  console.log(
    `From seed ${wanted.first}: ${signUps} sign-ups in ${histories} histories, ${reached.size} pairs of a step and a fault`,
  );
  if (failing === undefined) return;
  console.log(await report(failing, loaded));
  process.exitCode = 1;
}

async function findFaults(): Promise<void> {
  for (const fault of FAULTS.filter(({ name }) => name.includes(values.only))) {
    const loaded = await loadWith(fault);
    const { failing, signUps } = await search(loaded, wanted);
    const [violation = "NOT FOUND"] = failing ? (await live(failing, loaded)).violations : [];
    console.log(`${fault.name}: in ${signUps} sign-ups: ${violation}`);
    if (failing === undefined) process.exitCode = 1;
  }
}
