import { onTestFailed, onTestFinished, test, vi } from "vitest";
import { runSequence } from "../../simulation/sign-up-model";

/** Before a release, `npm run test:long` sets more. */
const { SEED = "101", SEQUENCES = "30" } = process.env;

test("every page is true, every email address has one trial at most, and every open page can be finished", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  const way: string[] = [];
  onTestFailed(() => void process.stderr.write(way.join("\n")));
  onTestFinished(() => void vi.useRealTimers());
  for (let seed = Number(SEED); seed < Number(SEED) + Number(SEQUENCES); seed += 1) await runSequence(seed, way);
}, 600_000);
