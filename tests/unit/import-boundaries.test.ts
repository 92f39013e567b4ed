import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, test } from "vitest";
import { root } from "../../tools/wrangler/wrangler";
import { filesIn } from "../support/files-in";

/* Who may import whom. Biome's noImportCycles refuses cycles, types included. */

interface Boundary {
  /** Files that the rule is about, by their path. */
  from: RegExp;
  /** What they may not import: a path without its extension, or a package. */
  mayNotImport: RegExp;
  why: string;
  /** An import that breaks this rule and no other. */
  example: { file: string; imports: string };
}

const BOUNDARIES: Boundary[] = [
  {
    from: /^(?:app|functions|tools)\//,
    mayNotImport: /^tests\//,
    why: "Only tests import from tests/.",
    example: { file: "tools/build.ts", imports: "tests/support/clock" },
  },
  {
    from: /^tests\/unit\//,
    mayNotImport: /^tests\/(?:browser|release|workers)\//,
    why: "What a unit test shares with the other suites is in tests/support/.",
    example: { file: "tests/unit/tools/preflight/checks.test.ts", imports: "tests/release/commands/checkout" },
  },
  {
    from: /^(?:app|functions|tools)\//,
    mayNotImport: /^app\/routes\//,
    why: "Only Remix loads routes/. What two routes need is in a feature's folder.",
    example: { file: "app/home/hero.tsx", imports: "app/routes/pricing" },
  },
  {
    from: /^app\//,
    mayNotImport: /^(?:functions|tools)\//,
    why: "Imports go from functions/ and tools/ to app/.",
    example: { file: "app/root.tsx", imports: "functions/site" },
  },
  {
    from: /^app\/(?!routes\/|root\.tsx)(?!.*\.server\.tsx?$)/,
    mayNotImport: /^app\/.*\.server$/,
    why: "A module that reaches the browser imports no .server module, which is empty there.",
    example: { file: "app/signup/card/card-step.tsx", imports: "app/signup/server/session/session.server" },
  },
  {
    from: /^app\/(?:home|pricing|legal)\//,
    mayNotImport: /^app\/(?:signup|seo)\//,
    why: "A public page knows neither the sign-up nor what crawlers read.",
    example: { file: "app/pricing/pricing-page.tsx", imports: "app/signup/notices" },
  },
  {
    from: /^app\/signup\/server\//,
    mayNotImport: /^app\/signup\/(?:(?:card|done|form|requests|resume)\/|signup-)/,
    why: "server/ knows no view. What both need is in app/signup/.",
    example: { file: "app/signup/server/session/session.server.ts", imports: "app/signup/card/stripe-elements" },
  },
  {
    from: /^app\/signup\/[\w-]+\.ts$/,
    mayNotImport: /^app\/signup\/(?:(?:card|done|form|requests|resume|server)\/|signup-)/,
    why: "What the sign-up's view and server share knows neither.",
    example: { file: "app/signup/steps.ts", imports: "app/signup/card/billing-details" },
  },
  {
    from: /^app\/pipeline\//,
    mayNotImport: /^app\/(?:home|legal|pricing|signup)\//,
    why: "The pipeline knows no feature.",
    example: { file: "app/pipeline/page-cache.server.ts", imports: "app/signup/steps" },
  },
  {
    from: /^app\/pipeline\/guard\//,
    mayNotImport: /^app\/pipeline\/(?:response|settings)\//,
    why: "In the pipeline, settings/ may import response/, and both guard/, never the other way.",
    example: { file: "app/pipeline/guard/refusals.server.ts", imports: "app/pipeline/response/error-page.server" },
  },
  {
    from: /^app\/pipeline\/response\//,
    mayNotImport: /^app\/pipeline\/settings\//,
    why: "In the pipeline, settings/ may import response/, and both guard/, never the other way.",
    example: {
      file: "app/pipeline/response/error-page.server.ts",
      imports: "app/pipeline/settings/require-settings.server",
    },
  },
  {
    from: /^app\/ui\//,
    mayNotImport: /^app\/(?!ui\/|contract\/|company$)/,
    why: "ui/ knows no feature and no server code.",
    example: { file: "app/ui/layout/footer.tsx", imports: "app/home/home-content" },
  },
  {
    from: /^app\/contract\//,
    mayNotImport: /^app\/(?!contract\/)/,
    why: "contract/ imports nothing from outside.",
    example: { file: "app/contract/trial.ts", imports: "app/shared/log/log-line" },
  },
  {
    from: /^app\/contract\//,
    mayNotImport: /^zod$/,
    why: "The contract reaches the browser: use zod/mini.",
    example: { file: "app/contract/subscription-request.ts", imports: "zod" },
  },
  {
    from: /^app\/shared\//,
    mayNotImport: /^app\/(?!shared\/|contract\/)/,
    why: "shared/ knows only the contract.",
    example: { file: "app/shared/settings/settings.ts", imports: "app/ui/use-site" },
  },
  {
    from: /^functions\/subscription-api\//,
    mayNotImport: /^(?:tools|app\/(?!contract\/|shared\/|company$)|functions\/(?!subscription-api\/))/,
    why: "The API knows only company.ts, contract/ and shared/ of app/.",
    example: { file: "functions/subscription-api/config.ts", imports: "app/pricing/plans/plan-list" },
  },
  {
    from: /^functions\/stripe-simulator\//,
    mayNotImport:
      /^(?:tools|app\/(?!contract\/(?:money|plans|trial|fields\/country)$)|functions\/(?!stripe-simulator\/))/,
    why: "The simulator stands for a foreign service: it knows only the plans, amounts, the trial and the country codes.",
    example: { file: "functions/stripe-simulator/index.ts", imports: "functions/subscription-api/stripe/client" },
  },
  {
    from: /^functions\/stripe-simulator\/(?:api|cards|clock|elements|resources|store)\//,
    mayNotImport: /^functions\/stripe-simulator\/pages\//,
    why: "The simulator's pages show it; it does not know them.",
    example: { file: "functions/stripe-simulator/store/store.ts", imports: "functions/stripe-simulator/pages/layout" },
  },
  {
    from: /^functions\/subscription-api\/(?!stripe\/)/,
    mayNotImport: /^stripe$/,
    why: "Stripe's package stops at its adapter, stripe/.",
    example: { file: "functions/subscription-api/sign-ups/transitions/advance.ts", imports: "stripe" },
  },
  {
    from: /^functions\/subscription-api\/(?:outbox|operator)\//,
    mayNotImport: /^functions\/subscription-api\/(?:http|sign-ups\/(?!store$))/,
    why: "http/ knows sign-ups/ and operator/, and sign-ups/ knows outbox/, never the other way.",
    example: {
      file: "functions/subscription-api/outbox/outbox.ts",
      imports: "functions/subscription-api/sign-ups/timing",
    },
  },
];

interface Import {
  file: string;
  imports: string;
}

/** A sentence for each boundary that an import breaks. */
function brokenBy({ file, imports }: Import): string[] {
  return BOUNDARIES.filter(({ from, mayNotImport }) => from.test(file) && mayNotImport.test(imports)).map(
    ({ why }) => `${file} imports ${imports}. ${why}`,
  );
}

const IMPORTED = /\b(?:from|import|import\()\s*"([^"]+)"/g;

/** The static and dynamic imports of a file; a relative one as a path from the root. */
function importsOf(file: string): Import[] {
  const specifiers = [...readFileSync(join(root, file), "utf8").matchAll(IMPORTED)].map(
    ([, specifier = ""]) => specifier,
  );
  return specifiers.map((specifier) => ({
    file,
    imports: specifier.startsWith(".") ? join(dirname(file), specifier) : specifier,
  }));
}

function codeIn(folder: string): string[] {
  return filesIn(folder).filter((name) => /\.(?:tsx?|mdx)$/.test(name));
}

const IMPORTS = ["app", "functions", "tools", "tests"].flatMap(codeIn).flatMap(importsOf);

test("no import crosses a boundary", () => {
  expect(IMPORTS.length).toBeGreaterThan(1_000);
  expect(IMPORTS.flatMap(brokenBy)).toEqual([]);
});

describe("an import is refused with its reason:", () => {
  test.each(BOUNDARIES)("$why ($example.file imports $example.imports)", ({ example, why }) => {
    expect(brokenBy(example)).toEqual([`${example.file} imports ${example.imports}. ${why}`]);
  });
});
