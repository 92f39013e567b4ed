import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { fields } from "../../support/person";
import { enterCard } from "../../support/visitors/visitor";
import { checkOut } from "./checkout";

/* `npm start` and `npm run dev` as a person runs them, in a checkout and on ports of its own. */

const checkout = await checkOut();
afterAll(checkout.dispose);

/** The first of three ports that nothing listens on, below the ports of outgoing connections. */
async function freePorts(): Promise<number> {
  const port = 10_081 + 3 * Math.floor(Math.random() * 7_000);
  const servers = [port, port + 1, port + 2].map((one) => createServer().listen(one, "127.0.0.1"));
  const listening = await Promise.allSettled(servers.map((server) => once(server, "listening")));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return listening.every(({ status }) => status === "fulfilled") ? port : freePorts();
}

type Started = { npm: ChildProcess; lines: string[] };

/** Runs a script until it is ready. npm has a process group of its own, as in a terminal. */
async function start(port: number, script: string): Promise<Started> {
  const ofTest = { NODE_ENV: undefined, NODE_OPTIONS: undefined, STRIPE_SECRET_KEY: "", PORT: String(port) };
  const env = { ...process.env, ...ofTest };
  const npm = spawn("npm", ["run", script, "--silent"], { cwd: checkout.folder, env, detached: true });
  const lines: string[] = [];
  for (const input of [npm.stdout, npm.stderr]) createInterface({ input }).on("line", (line) => lines.push(line));
  onTestFinished(() => {
    if (npm.exitCode === null && npm.signalCode === null && npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
  });
  await expect.poll(() => lines.at(-1)).toMatch(/^Ready: open/);
  return { npm, lines };
}

/** Presses Ctrl-C, after which nothing listens on the three ports. */
async function stop({ npm, lines }: Started, port: number): Promise<void> {
  process.kill(-Number(npm.pid), "SIGINT");
  await expect.poll(() => lines).toContain("Stopping …");
  await once(npm, "exit");
  for (const one of [port, port + 1, port + 2])
    await expect(fetch(`http://localhost:${one}/`)).rejects.toThrow("fetch failed");
}

test("npm start serves the sign-up on PORT, prints addresses and failed requests, and ends with Ctrl-C", async () => {
  const port = await freePorts();
  const [site, simulator] = [`http://localhost:${port}`, `http://localhost:${port + 2}`];
  const started = await start(port, "start");
  expect(started.lines).toEqual([
    "Building …",
    "Starting the Workers …",
    `  mailbox           ${simulator}/mailbox`,
    `  account webhooks  ${simulator}/console`,
    `  Stripe dashboard  ${simulator}/dashboard`,
    `  customer portal   ${simulator}/p/login/test`,
    `  subscription API  http://localhost:${port + 1}`,
    "Press Ctrl-C to stop everything.",
    `Ready: open ${site}`,
  ]);

  const path = `/subscription/${fields.package_id}`;
  const send = (change: object) =>
    fetch(site + path, { method: "POST", body: new URLSearchParams({ ...fields, ...change }), redirect: "manual" });
  const cookies = (await send({})).headers.getSetCookie().map((line) => line.split(";")[0]);
  const card = await (await fetch(site + path, { headers: { cookie: cookies.join("; ") } })).text();
  expect(card).toContain(`${simulator}/endive/stripe.js`);
  await enterCard(simulator, /seti_\w+_secret_\w+/.exec(card)?.[0]);
  await expect.poll(async () => (await fetch(`${simulator}/mailbox`)).text()).toContain(fields.email.toLowerCase());

  await fetch(`${site}/no-such-page?email=ada@example.com`);
  await send({ zipCode: "6" });
  await expect.poll(() => started.lines.slice(9)).toEqual(["GET /no-such-page 404", `POST ${path} 422`]);

  for (const host of ["localhost", "127.0.0.1", "[::1]"])
    expect((await fetch(`http://${host}:${port}/`)).status).toBe(200);
  const taken = await checkout.run("start", [], { PORT: String(port) });
  expect(taken.output).toContain(`Port ${port} is in use: stop what listens there, or choose another`);
  expect((await checkout.run("smoke", [], { PORT: String(port) })).output).not.toContain("✗");
  await stop(started, port);
});

test("npm run dev serves a saved change, applies a new migration, and tells of a build that failed", async () => {
  const port = await freePorts();
  const started = await start(port, "dev");
  const said = async (sentence: RegExp, change: () => Promise<unknown>) => {
    const before = started.lines.length;
    await change();
    await expect.poll(() => started.lines.slice(before).join("\n")).toMatch(sentence);
  };
  const pricing = () => fetch(`http://localhost:${port}/pricing`);
  const edit = (change: (code: string) => string) => checkout.change("app/pricing/pricing-content.ts", change);
  await said(/^Reloaded: site/m, () => edit((code) => code.replace(/title: "[^"]*"/, 'title: "Saved"')));
  expect(await (await pricing()).text()).toContain("Saved</h1>");
  const migration = join(checkout.folder, "functions/subscription-api/migrations/0099_new.sql");
  await said(/^Reloaded: subscription-api/m, () => writeFile(migration, "CREATE TABLE a_new_one (id TEXT)"));
  expect((await fetch(`http://localhost:${port + 1}/health`)).status).toBe(200);
  await said(/pricing-content\.ts/, () => edit((code) => `${code}\nconst = 1;\n`));
  expect((await pricing()).status).toBe(200);
  await stop(started, port);
});
