import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Minutes each: begun last, they would be waited for while the other core rests. */
const LONGEST = /\/commands\/|\/(model|simulation)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    // Much of the edge tests is waiting: four files at a time keep two cores busy. By default it would be one.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // Node has no such module; the edge tests have workerd's.
        resolve: {
          alias: { "cloudflare:workers": fileURLToPath(new URL("mutation/in-process/entrypoint.ts", import.meta.url)) },
        },
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts"],
          testTimeout: 10_000,
          // A module is loaded once for each process, not for each file: half the time of all of them.
          isolate: false,
          restoreMocks: true,
        },
      },
      // The built Workers in Miniflare: `npm run build` comes first.
      {
        test: {
          name: "edge",
          include: ["tests/edge/**/*.test.ts"],
          retry: Number(process.env.TEST_RETRIES ?? 0),
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // What is polled for comes within milliseconds, but not on a busy machine.
          expect: { poll: { timeout: 30_000 } },
          // Miniflare and Wrangler take seconds to load: once for each process, not for each file.
          isolate: false,
          // So that a test can stand in for the one file that the scanner would download.
          server: { deps: { inline: ["@mdn/mdn-http-observatory"] } },
        },
      },
    ],
  },
});
