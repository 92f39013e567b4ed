import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";
import { root } from "../../tools/wrangler/wrangler";
import { filesIn } from "../support/files-in";

/* Who may import whom. Biome's noImportCycles refuses cycles, types included. */

/** `from`: files by their path; `never`: a path without its extension, or a package. */
const BOUNDARIES: { from: RegExp; never: RegExp; why: string }[] = [
  { from: /^(?:app|functions|tools)\//, never: /^tests\//, why: "Only tests import from tests/." },
  { from: /^tests\/unit\//, never: /^tests\/(?:browser|release|workers)\//, why: "Suites share only tests/support/." },
  {
    from: /^(?:app|functions|tools)\//,
    never: /^app\/routes\//,
    why: "Only Remix loads routes/. What two routes need is in a feature's folder.",
  },
  { from: /^app\//, never: /^(?:functions|tools)\//, why: "Imports go from functions/ and tools/ to app/." },
  {
    from: /^app\/(?!routes\/|root\.tsx)(?!.*\.server\.tsx?$)/,
    never: /^app\/.*\.server$/,
    why: "A module that reaches the browser imports no .server module, which is empty there.",
  },
  {
    from: /^app\/(?:home|pricing|legal)\//,
    never: /^app\/(?:signup|seo)\//,
    why: "A public page knows neither the sign-up nor what crawlers read.",
  },
  {
    from: /^app\/signup\/server\//,
    never: /^app\/signup\/(?:(?:card|done|form|requests|resume)\/|signup-)/,
    why: "server/ knows no view. What both need is in app/signup/.",
  },
  {
    from: /^app\/signup\/[\w-]+\.ts$/,
    never: /^app\/signup\/(?:(?:card|done|form|requests|resume|server)\/|signup-)/,
    why: "What the sign-up's view and server share knows neither.",
  },
  { from: /^app\/pipeline\//, never: /^app\/(?:home|legal|pricing|signup)\//, why: "The pipeline knows no feature." },
  { from: /^app\/pipeline\/guard\//, never: /^app\/pipeline\/(?:response|settings)\//, why: "guard/ knows neither." },
  { from: /^app\/pipeline\/response\//, never: /^app\/pipeline\/settings\//, why: "response/ knows no settings/." },
  { from: /^app\/ui\//, never: /^app\/(?!ui\/|contract\/|company$)/, why: "ui/ knows no feature and no server code." },
  { from: /^app\/contract\//, never: /^(?:app\/(?!contract\/)|zod$)/, why: "contract/ knows only zod/mini." },
  { from: /^app\/shared\//, never: /^app\/(?!shared\/|contract\/)/, why: "shared/ knows only the contract." },
  {
    from: /^functions\/subscription-api\//,
    never: /^(?:tools|app\/(?!contract\/|shared\/|company$)|functions\/(?!subscription-api\/))/,
    why: "The API knows only company.ts, contract/ and shared/ of app/.",
  },
  {
    from: /^functions\/stripe-simulator\//,
    never: /^(?:tools|app\/(?!contract\/(?:money|plans|trial|fields\/country)$)|functions\/(?!stripe-simulator\/))/,
    why: "The simulator stands for a foreign service: it knows only the plans, amounts, the trial and the country codes.",
  },
  {
    from: /^functions\/stripe-simulator\/(?:api|cards|clock|elements|resources|store)\//,
    never: /^functions\/stripe-simulator\/pages\//,
    why: "The simulator's pages show it; it does not know them.",
  },
  { from: /^functions\/subscription-api\/(?!stripe\/)/, never: /^stripe$/, why: "Stripe's package stops at stripe/." },
  {
    from: /^functions\/subscription-api\/(?:outbox|operator)\//,
    never: /^functions\/subscription-api\/(?:http|sign-ups\/(?!store$))/,
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
    BOUNDARIES.filter(({ from, never }) => from.test(file) && never.test(imports)).map(
      ({ why }) => `${file} imports ${imports}. ${why}`,
    ),
  );
  expect(all.length).toBeGreaterThan(1_000);
  expect(broken).toEqual([]);
});
