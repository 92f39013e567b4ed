import { readOptionsOrExit } from "../../tools/command-line";
import { report, search } from "./history";
import { loadApi } from "./loaded-api";

/* `npm run simulate -- --sign-ups N --seed S` runs histories from seed S on until there are N sign-ups. */

const { values } = readOptionsOrExit("simulate", { "sign-ups": "number", seed: "number" });
const wanted = numberOf("sign-ups", 400);
const first = numberOf("seed", Math.floor(Math.random() * 1e9));
console.log(`Seed ${first}`);
// Simulated faults create many errors, whose stacks are never read.
Error.stackTraceLimit = 0;

const loaded = await loadApi();
let toldAt = Date.now();
const found = await search(loaded, { first, signUps: wanted }, (made) => {
  if (Date.now() - toldAt < 10_000) return;
  toldAt = Date.now();
  console.log(`${made} of ${wanted} sign-ups`);
});
const { failing, reached, signUps, histories } = found;
console.log(
  `From seed ${first}: ${signUps} sign-ups in ${histories} histories, ${reached.size} combinations of step and fault`,
);
if (failing !== undefined) {
  console.log(await report(failing, loaded));
  process.exitCode = 1;
}

function numberOf(name: string, otherwise: number): number {
  const value = values[name] ?? String(otherwise);
  if (/^\d{1,10}$/.test(value)) return Number(value);
  console.error(`--${name} is "${value}", which is not a whole number.`);
  process.exit(1);
}
