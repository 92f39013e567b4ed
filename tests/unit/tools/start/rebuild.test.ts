import { expect, onTestFinished, test, vi } from "vitest";
import type { WorkerName } from "../../../../tools/build";
import { ToolError } from "../../../../tools/failures";
import { effectOf, rebuilds } from "../../../../tools/start/rebuild";

/* What npm run dev does after a change. */

const INPUTS = {
  site: new Set(["functions/site.ts", "app/company.ts"]),
  "subscription-api": new Set(["functions/subscription-api/index.ts", "app/contract/plans.ts"]),
  "stripe-simulator": new Set(["functions/stripe-simulator/index.ts"]),
};

const RESTARTS = ["package.json", "package-lock.json", "postcss.config.js", "tsconfig.json", "tools/build.ts"];
const OUTPUTS = ["public/build/_assets/a.css", "functions/subscription-api/.wrangler/state/a.sqlite", "README.md"];

test.each<{ paths: string[]; bundles?: WorkerName[]; isReloaded?: boolean; isRestarted?: boolean }>([
  { paths: ["app/home/home.tsx", "functions/site.ts", "wrangler.toml"], bundles: ["site"] },
  { paths: ["app/contract/plans.ts"], bundles: ["site", "subscription-api"] },
  {
    paths: ["functions/subscription-api/new.ts", "functions/subscription-api/migrations/0009_new.sql"],
    bundles: ["subscription-api"],
  },
  { paths: ["functions/stripe-simulator/elements/frame.html"], bundles: ["stripe-simulator"] },
  { paths: ["public/new.txt", ".dev.vars", ".env"], bundles: [] },
  { paths: RESTARTS, bundles: [], isReloaded: false, isRestarted: true },
  { paths: OUTPUTS, bundles: [], isReloaded: false },
])("after a change of one of $paths npm run dev bundles $bundles", ({ paths, isRestarted = false, ...effect }) => {
  for (const path of paths)
    expect(effectOf([path], INPUTS), path).toEqual({ isReloaded: true, ...effect, restart: isRestarted ? [path] : [] });
});

/** Rebuilds whose bundles end when a test says so. `said` has the lines for the developer, and each reload. */
function watched() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const said: string[] = [];
  const running: { name: string; end: (error?: Error) => void }[] = [];
  const bundle = (name: WorkerName) =>
    new Promise<ReadonlySet<string>>((resolve, reject) => {
      running.push({ name, end: (error) => (error ? reject(error) : resolve(INPUTS[name])) });
    });
  const say = (line: string) => void said.push(line);
  const take = rebuilds({ ...INPUTS }, { bundle, reload: async () => say("reload"), say });
  const settle = () => vi.advanceTimersByTimeAsync(1_000);
  return {
    said,
    /** The Workers that are being bundled. */
    names: () => running.map(({ name }) => name),
    async change(...paths: string[]) {
      take(paths);
      await settle();
    },
    /** Ends all bundles that are running. */
    async end(error?: Error) {
      for (const one of running.splice(0)) one.end(error);
      await settle();
    },
  };
}

const [SITE, API] = ["functions/site.ts", "functions/subscription-api/index.ts"];

test("files that change at once are bundled and reloaded once", async () => {
  const { change, end, names, said } = watched();
  await change("README.md");
  expect(said, "after a change that is in no Worker").toEqual([]);
  await change(SITE, API, SITE);
  expect(names()).toEqual(["site", "subscription-api"]);
  await end();
  expect(said).toEqual(["reload", "Reloaded: site, subscription-api"]);
});

test.each([
  { what: "the same file", path: SITE, name: "site" },
  { what: "another Worker's file", path: API, name: "subscription-api" },
])("after a change of $what during a rebuild, it is bundled once that rebuild has ended", async ({ path, name }) => {
  const { change, end, names, said } = watched();
  await change(SITE);
  await change(path);
  expect(names(), "while the first is running").toEqual(["site"]);
  await end();
  expect(names()).toEqual([name]);
  await end();
  expect(said).toEqual(["reload", "Reloaded: site", "reload", `Reloaded: ${name}`]);
  expect(names()).toEqual([]);
});

test("a Worker whose bundle failed is tried again with the next change, and nothing is reloaded before", async () => {
  const { change, end, names, said } = watched();
  await change(SITE);
  await end(new ToolError("Unexpected token"));
  expect(said).toEqual(["Unexpected token"]);
  await change(API);
  expect(names()).toEqual(["site", "subscription-api"]);
});
