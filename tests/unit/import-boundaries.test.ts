import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";
import { root } from "../../tools/wrangler/wrangler";
import { filesIn } from "../support/files-in";

/* Who may import whom. Biome's noImportCycles refuses cycles, types included. */

/** `from`: files by their path; `mayNotImport`: a path without its extension, or a package. */
const BOUNDARIES: { from: RegExp; mayNotImport: RegExp; why: string }[] = [
  { from: /^(?:app|functions|tools)\//, mayNotImport: /^tests\//, why: "Only tests import from tests/." },
  {
    from: /^tests\/unit\//,
    mayNotImport: /^tests\/(?:browser|release|workers)\//,
    why: "What a unit test shares with the other suites is in tests/support/.",
  },
  {
    from: /^(?:app|functions|tools)\//,
    mayNotImport: /^app\/routes\//,
    why: "Only Remix loads routes/. What two routes need is in a feature's folder.",
  },
  { from: /^app\//, mayNotImport: /^(?:functions|tools)\//, why: "Imports go from functions/ and tools/ to app/." },
  {
    from: /^app\/(?!routes\/|root\.tsx)(?!.*\.server\.tsx?$)/,
    mayNotImport: /^app\/.*\.server$/,
    why: "A module that reaches the browser imports no .server module, which is empty there.",
  },
  {
    from: /^app\/(?:home|pricing|legal)\//,
    mayNotImport: /^app\/(?:signup|seo)\//,
    why: "A public page knows neither the sign-up nor what crawlers read.",
  },
  {
    from: /^app\/signup\/server\//,
    mayNotImport: /^app\/signup\/(?:(?:card|done|form|requests|resume)\/|signup-)/,
    why: "server/ knows no view. What both need is in app/signup/.",
  },
  {
    from: /^app\/signup\/[\w-]+\.ts$/,
    mayNotImport: /^app\/signup\/(?:(?:card|done|form|requests|resume|server)\/|signup-)/,
    why: "What the sign-up's view and server share knows neither.",
  },
  {
    from: /^app\/pipeline\//,
    mayNotImport: /^app\/(?:home|legal|pricing|signup)\//,
    why: "The pipeline knows no feature.",
  },
  {
    from: /^app\/pipeline\/guard\//,
    mayNotImport: /^app\/pipeline\/(?:response|settings)\//,
    why: "In the pipeline, response/ and settings/ may import guard/, never the other way.",
  },
  {
    from: /^app\/pipeline\/response\//,
    mayNotImport: /^app\/pipeline\/settings\//,
    why: "In the pipeline, settings/ may import response/, never the other way.",
  },
  {
    from: /^app\/ui\//,
    mayNotImport: /^app\/(?!ui\/|contract\/|company$)/,
    why: "ui/ knows no feature and no server code.",
  },
  {
    from: /^app\/contract\//,
    mayNotImport: /^(?:app\/(?!contract\/)|zod$)/,
    why: "contract/ imports nothing from outside. It reaches the browser: use zod/mini.",
  },
  { from: /^app\/shared\//, mayNotImport: /^app\/(?!shared\/|contract\/)/, why: "shared/ knows only the contract." },
  {
    from: /^functions\/subscription-api\//,
    mayNotImport: /^(?:tools|app\/(?!contract\/|shared\/|company$)|functions\/(?!subscription-api\/))/,
    why: "The API knows only company.ts, contract/ and shared/ of app/.",
  },
  {
    from: /^functions\/stripe-simulator\//,
    mayNotImport:
      /^(?:tools|app\/(?!contract\/(?:money|plans|trial|fields\/country)$)|functions\/(?!stripe-simulator\/))/,
    why: "The simulator stands for a foreign service: it knows only the plans, amounts, the trial and the country codes.",
  },
  {
    from: /^functions\/stripe-simulator\/(?:api|cards|clock|elements|resources|store)\//,
    mayNotImport: /^functions\/stripe-simulator\/pages\//,
    why: "The simulator's pages show it; it does not know them.",
  },
  {
    from: /^functions\/subscription-api\/(?!stripe\/)/,
    mayNotImport: /^stripe$/,
    why: "Stripe's package stops at its adapter, stripe/.",
  },
  {
    from: /^functions\/subscription-api\/(?:outbox|operator)\//,
    mayNotImport: /^functions\/subscription-api\/(?:http|sign-ups\/(?!store$))/,
    why: "http/ knows sign-ups/ and operator/, and sign-ups/ knows outbox/, never the other way.",
  },
];

const codeIn = (folder: string) => filesIn(folder).filter((name) => /\.(?:tsx?|mdx)$/.test(name));

/** The static and dynamic imports of a file; a relative one as a path from the root. */
function importsOf(file: string): { file: string; imports: string }[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/\b(?:from|import|import\()\s*"([^"]+)"/g)].map(([, specifier = ""]) => ({
    file,
    imports: specifier.startsWith(".") ? join(dirname(file), specifier) : specifier,
  }));
}

test("no import crosses a boundary", () => {
  const all = ["app", "functions", "tools", "tests"].flatMap(codeIn).flatMap(importsOf);
  const broken = all.flatMap(({ file, imports }) =>
    BOUNDARIES.filter(({ from, mayNotImport }) => from.test(file) && mayNotImport.test(imports)).map(
      ({ why }) => `${file} imports ${imports}. ${why}`,
    ),
  );
  expect(all.length).toBeGreaterThan(1_000);
  expect(broken).toEqual([]);
});
