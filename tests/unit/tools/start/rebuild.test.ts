import { expect, test } from "vitest";
import { effectOf } from "../../../../tools/start/rebuild";

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
