import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { fields } from "../../support/person";
import { enterCard } from "../../support/visitors/visitor";
import { checkOut } from "./checkout";
import { descendantsOf, freePorts, isRunning, poll, startIn, stop } from "./started";

/* `npm start` as a person runs it, in a checkout and on ports of its own. */

const checkout = await checkOut();
afterAll(checkout.dispose);

const start = startIn(checkout);

test("npm start serves the sign-up on PORT, prints addresses and failed requests, and ends with Ctrl-C", async () => {
  const port = await freePorts();
  const [site, simulator] = [`http://localhost:${port}`, `http://localhost:${port + 2}`];
  const polled = poll(port);
  const started = await start(port, "start");
  expect(await polled(), "answers while the database is made").toEqual([200, 200, 200]);
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
  expect(taken.output).toMatch(
    new RegExp(`Port ${port} is in use by process \\d+ \\(.*start\\.ts.*\\): stop it with kill`),
  );
  expect((await checkout.run("smoke", ["local"], { PORT: String(port) })).output).not.toContain("✗");
  await stop(started, port);
});

test("a wrong value in a .dev.vars ends npm start with the file, the Worker and the setting", async () => {
  const file = "functions/subscription-api/.dev.vars";
  await writeFile(join(checkout.folder, file), "OPERATOR_TOKEN=short");
  onTestFinished(() => rm(join(checkout.folder, file)));
  const { output, exitCode } = await checkout.run("start", [], { PORT: String(await freePorts()) });
  expect(exitCode).toBe(1);
  expect(output).toContain(`Settings from ${file}: OPERATOR_TOKEN`);
  expect(output).toMatch(/The Worker subscription-api is not ready[\s\S]*OPERATOR_TOKEN/);
});

test("an error while a module loads ends npm start with its place in the source", async () => {
  const file = "functions/subscription-api/http/health.ts";
  const usual = await readFile(join(checkout.folder, file), "utf8");
  onTestFinished(() => writeFile(join(checkout.folder, file), usual));
  await checkout.change(file, (text) => `${text}\nthrow new TypeError("NCBOOM");\n`);
  const { output, exitCode } = await checkout.run("start", [], { PORT: String(await freePorts()) });
  const line = usual.split("\n").length + 1;
  expect({ exitCode, output }).toEqual({
    exitCode: 1,
    output: expect.stringMatching(
      new RegExp(`citewell-subscription-api-local: Uncaught TypeError: NCBOOM\n {4}at ${file}:${line}:\\d+\n$`),
    ),
  });
});

test("after kill -9 of npm start no Worker keeps the database's files open", async () => {
  const started = await start(await freePorts(), "start");
  const processes = descendantsOf(Number(started.npm.pid));
  const workerd = processes.filter(({ command }) => /workerd.* serve/.test(command));
  expect(workerd).toHaveLength(1);
  for (const { pid, command } of processes) if (command.includes("start.ts")) process.kill(pid, "SIGKILL");
  await expect.poll(() => workerd.filter(({ pid }) => isRunning(pid))).toEqual([]);
});
