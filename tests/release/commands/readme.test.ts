import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { fields } from "../../support/person";
import { checkOut } from "./checkout";
import { freePorts, startIn, stop } from "./started";

/*
 * The README's steps for someone who unpacked a zip: not as root, without git, in a folder with a space and an umlaut. `npm test`
 * runs the whole suites, so one file of each is enough here.
 */

const unpacked = await checkOut({ isZip: true });
afterAll(unpacked.dispose);
const { folder, home, type } = unpacked;
const start = startIn(unpacked);

const readme = readFileSync(join(folder, "README.md"), "utf8");
/** The README's addresses, on other ports. */
const addresses = (port: number) =>
  [...readme.matchAll(/^\| http:\/\/localhost:(878\d)(\S*) \|/gm)].map(
    ([, own, path]) => `http://localhost:${Number(own) - 8787 + port}${path}`,
  );

/** Types a line, which must succeed. Returns what it prints. */
async function succeed(line: string, env?: NodeJS.ProcessEnv): Promise<string> {
  const { output, exitCode } = await type(line, env);
  expect(exitCode, output).toBe(0);
  return output;
}

beforeAll(async () => {
  await succeed("npm install");
});

test("the README has the two commands", () => {
  expect(readme).toMatch(/^npm install && npm start .*\nnpm install && npm test /m);
});

/** Node's program from the npm registry, which has it as a package for each platform. Returns its folder. */
async function installNode(major: number): Promise<string> {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const prefix = join(home, `node-${major}`);
  await succeed(`npm install --prefix ${prefix} --no-audit --no-fund ${name}@${major}`);
  return join(prefix, "node_modules", name, "bin");
}

/** Asks a started site for every address in the README. */
async function expectAddresses(port: number): Promise<void> {
  const answers = addresses(port).map(async (url) => ({ url, status: (await fetch(url)).status }));
  for (const answer of await Promise.all(answers)) expect(answer).toEqual({ url: answer.url, status: 200 });
}

test("one file of the unit tests and of the Workers' tests pass, and build the Workers where nothing is built", async () => {
  rmSync(join(folder, "build"), { recursive: true, force: true });
  const output = await succeed("npx vitest run tests/unit/shared tests/workers/pages/seo.test.ts");
  expect(output).toContain("Building the Workers for the first time …");
});

/** The oldest Node that package.json allows is the one that runs the tests. */
test("npm start serves every address in the README, and takes a form and commands", async () => {
  const port = await freePorts();
  const started = await start(port, "start");
  await expectAddresses(port);
  const body = new URLSearchParams(fields);
  const path = `http://localhost:${port}/subscription/${fields.package_id}`;
  expect((await fetch(path, { method: "POST", body, redirect: "manual" })).status).toBe(303);
  for (const command of ["npm run status local", "npm run messages local", "npm run smoke local"])
    await succeed(command, { PORT: String(port) });
  await stop(started, port);
});

test.each([22, 24])("npm start serves every address in the README with Node %d", async (major) => {
  const port = await freePorts();
  const PATH = `${await installNode(major)}${delimiter}${process.env.PATH}`;
  const started = await start(port, "start", { PATH });
  await expectAddresses(port);
  await stop(started, port);
});

test("type check and linter pass over what wrangler types has written", async () => {
  for (const command of ["npx wrangler types", "npx wrangler types --cwd functions/subscription-api", "npm run check"])
    await succeed(command);
});

test("a browser test passes", async () => {
  await succeed("npx playwright test public-pages -g /pricing.loads");
});

test("where no Chromium is and none can be downloaded, the browser tests say what they tried and what to do", async () => {
  const path = join(folder, "only-node");
  mkdirSync(path);
  symlinkSync(process.execPath, join(path, "node"));
  const none = "http://127.0.0.1:1";
  const line = `PATH="${path}" "${process.execPath}" node_modules/@playwright/test/cli.js test --list`;
  const env = { CHROMIUM_PATH: undefined, PLAYWRIGHT_BROWSERS_PATH: home, PLAYWRIGHT_DOWNLOAD_HOST: none };
  const { exitCode, output } = await type(line, env);
  expect(exitCode).toBe(1);
  expect(output).toMatch(/No Chromium here: .*cli\.js install chromium …/);
  expect(output).toContain(none);
  expect(output).toContain("The browser tests need Chromium: install Chromium or Google Chrome, or set CHROMIUM_PATH");
});

test.runIf(process.platform !== "win32")("npm start names a folder that its user may not write", async () => {
  const state = join(folder, ".wrangler");
  chmodSync(state, 0o555);
  onTestFinished(() => chmodSync(state, 0o755));
  const { exitCode, output } = await type("npm start", { PORT: String(await freePorts()) });
  expect(exitCode).toBe(1);
  expect(output).toContain(`${state} cannot be written (EACCES)`);
});

test("Wrangler finds the simulator's build from the root", async () => {
  await succeed("npx wrangler deploy --dry-run -c functions/stripe-simulator/wrangler.toml");
});
