import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { openApi } from "../../../functions/subscription-api/http/openapi";

/* The API's description passes the two common linters, which come from the npm registry for this test alone. */

const folder = await mkdtemp(join(tmpdir(), "openapi-"));
afterAll(() => rm(folder, { recursive: true }));
await writeFile(join(folder, "openapi.json"), JSON.stringify(openApi("https://api.acme.com")));
await writeFile(join(folder, ".spectral.yaml"), 'extends: ["spectral:oas"]');

test.each([
  {
    linter: "Redocly",
    args: ["@redocly/cli@2.77.0", "lint", "openapi.json", "--extends=recommended", "--format=json"],
  },
  { linter: "Spectral", args: ["@stoplight/spectral-cli@6.16.3", "lint", "openapi.json", "--fail-severity=hint"] },
])("no error and no warning is found by $linter", async ({ linter, args }) => {
  const npx = promisify(execFile)("npx", ["--yes", ...args], { cwd: folder, env: { ...process.env, CI: "1" } });
  const { stdout } = await npx.catch((failed) => failed);
  if (linter === "Spectral") expect(stdout).toContain("No results with a severity of 'hint' or higher found!");
  else expect(JSON.parse(stdout.slice(stdout.indexOf("{"))).problems).toEqual([]);
});
