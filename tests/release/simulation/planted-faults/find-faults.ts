import { parseArgs } from "node:util";
import { live, search } from "../history";
import { FAULTS, loadWith, RARE_FAULTS } from "./faults";

/* `npm run simulate:faults`: whether the simulation finds each planted fault, or those whose name has some words. */

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, only: { type: "string", default: "" }, rare: { type: "boolean" } },
});
const SIGN_UPS = values.rare ? 4_000 : 400;
Error.stackTraceLimit = 0;

for (const fault of (values.rare ? RARE_FAULTS : FAULTS).filter(({ name }) => name.includes(values.only))) {
  const loaded = await loadWith(fault);
  const started = performance.now();
  const { failing, signUps } = await search(loaded, { first: Number(values.seed), signUps: SIGN_UPS });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const [violation = "NOT FOUND"] = failing ? (await live(failing, loaded)).violations : [];
  console.log(`${fault.name}: in ${signUps} sign-ups, ${seconds} s: ${violation}`);
  if (failing === undefined) process.exitCode = 1;
}
