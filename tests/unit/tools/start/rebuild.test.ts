import { expect, onTestFinished, test, vi } from "vitest";
import type { WorkerName } from "../../../../tools/build";
import { ToolError } from "../../../../tools/failures";
import { effectOf, rebuilds } from "../../../../tools/start/rebuild";

const INPUTS = {
  site: new Set(["functions/site.ts", "app/company.ts"]),
  "subscription-api": new Set(["functions/subscription-api/index.ts", "app/contract/plans.ts"]),
  "stripe-simulator": new Set(["functions/stripe-simulator/index.ts"]),
};

test.each([
  { changed: "app/home/home.tsx", bundles: ["site"] },
  { changed: "app/contract/plans.ts", bundles: ["site", "subscription-api"] },
  { changed: "functions/site.ts", bundles: ["site"] },
  { changed: "wrangler.toml", bundles: ["site"] },
  { changed: "functions/subscription-api/new.ts", bundles: ["subscription-api"] },
  { changed: "functions/subscription-api/migrations/0009_new.sql", bundles: ["subscription-api"] },
  { changed: "functions/stripe-simulator/elements/frame.html", bundles: ["stripe-simulator"] },
])("a change of $changed bundles $bundles", ({ changed, bundles }) => {
  expect(effectOf([changed], INPUTS)).toEqual({ bundles, isReloaded: true, restart: [] });
});

test.each(["public/new.txt", ".dev.vars", ".env"])("a change of %s is loaded without a build", (path) => {
  expect(effectOf([path], INPUTS)).toEqual({ bundles: [], isReloaded: true, restart: [] });
});

test.each(["package.json", "postcss.config.js", "tools/start/start.ts"])("a change of %s needs a restart", (path) => {
  expect(effectOf([path], INPUTS)).toEqual({ bundles: [], isReloaded: false, restart: [path] });
});

test.each(["public/build/_assets/a.css", "functions/subscription-api/.wrangler/state/a.sqlite", "README.md"])(
  "a change of %s needs nothing",
  (path) => {
    expect(effectOf([path], INPUTS)).toEqual({ bundles: [], isReloaded: false, restart: [] });
  },
);

/** Rebuilds whose bundles end when a test says so. */
function watched() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line) => void lines.push(line));
  const [done, running]: [string[], { name: string; end: (error?: Error) => void }[]] = [[], []];
  const bundle = (name: WorkerName) =>
    new Promise<ReadonlySet<string>>((resolve, reject) => {
      running.push({ name, end: (error) => (error ? reject(error) : resolve(INPUTS[name])) });
    });
  const take = rebuilds({ ...INPUTS }, { bundle, reload: async () => void done.push("reload") });
  const settle = () => vi.advanceTimersByTimeAsync(1_000);
  return {
    lines,
    done,
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
  const { change, end, names, done, lines } = watched();
  await change(SITE, API, SITE);
  expect(names()).toEqual(["site", "subscription-api"]);
  await end();
  expect(done).toEqual(["reload"]);
  expect(lines).toEqual(["Reloaded: site, subscription-api"]);
});

test.each([
  { what: "the same file", path: SITE, name: "site" },
  { what: "another Worker's file", path: API, name: "subscription-api" },
])(
  "after a change of $what during a rebuild, it is bundled again once that rebuild has ended",
  async ({ path, name }) => {
    const { change, end, names, done } = watched();
    await change(SITE);
    await change(path);
    expect(names(), "while the first is running").toEqual(["site"]);
    await end();
    expect(names()).toEqual([name]);
    await end();
    expect(done).toEqual(["reload", "reload"]);
    expect(names()).toEqual([]);
  },
);

test("a Worker whose bundle failed is tried again with the next change, and nothing is reloaded before", async () => {
  const { change, end, names, done, lines } = watched();
  await change(SITE);
  await end(new ToolError("Unexpected token"));
  expect({ done, lines }).toEqual({ done: [], lines: ["Unexpected token"] });
  await change(API);
  expect(names()).toEqual(["site", "subscription-api"]);
});
