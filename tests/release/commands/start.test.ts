import { execFileSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { PAID_PLANS } from "../../../app/contract/plans";
import { fields } from "../../support/person";
import { enterCard, mails, newCard, stripeStateOf } from "../../support/visitors/visitor";
import { checkOut } from "./checkout";
import { freePorts } from "./ports";
import { poll, startIn, stop } from "./started";

/* `npm start` as a person runs it, in a checkout and on ports of its own. */

const checkout = await checkOut();
afterAll(checkout.dispose);

const start = startIn(checkout.folder);

/** The processes that a process has started, and theirs. */
function descendantsOf(pid: number): { pid: number; command: string }[] {
  const listed = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" });
  const processes = [...listed.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)].map(([, own, parent, command = ""]) => ({
    ...{ pid: Number(own), parent: Number(parent), command },
  }));
  const below = (parent: number): typeof processes =>
    processes.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

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

test("npm start sells a plan at its price in plans.ts, from the pricing page to the form, Stripe and the email", async () => {
  const PLANS = "app/contract/plans.ts";
  const usual = await readFile(join(checkout.folder, PLANS), "utf8");
  await checkout.change(PLANS, (text) => text.replace(/(?<=, priceCents: )[\d_]+/, "1_999"));
  onTestFinished(() => writeFile(join(checkout.folder, PLANS), usual));
  const port = await freePorts();
  const [site, simulator] = [`http://localhost:${port}`, `http://localhost:${port + 2}`];
  const started = await start(port, "start");
  const textOf = async (path: string, cookie = "") => (await fetch(site + path, { headers: { cookie } })).text();
  for (const path of ["/pricing", "/pricing.md", "/llms.txt"]) expect(await textOf(path), path).toContain("$19.99");
  expect(await textOf("/")).toContain("From $19.99 a month");
  const [{ packageId: package_id }] = PAID_PLANS;
  const path = `/subscription/${package_id}`;
  const form = await textOf(path);
  expect(form).toContain("$19.99 a month");
  const price_cents = /name="price_cents" value="(\d+)"/.exec(form)?.[1] ?? "";
  const send = (change: Record<string, string>) => {
    const body = new URLSearchParams({ ...fields, package_id, price_cents, ...change });
    return fetch(site + path, { method: "POST", body, redirect: "manual" });
  };
  const email = "price@example.com";
  const cookies = (await send({ email })).headers.getSetCookie().map((line) => line.split(";")[0]);
  const card = await textOf(path, cookies.join("; "));
  expect(card).toContain("$19.99 USD");
  await enterCard(simulator, /seti_\w+_secret_\w+/.exec(card)?.[0], newCard());
  const sent = [{ text: expect.stringContaining("$19.99 USD") }];
  await expect.poll(() => mails({ url: simulator }, email)).toMatchObject(sent);
  const { subscriptions } = await stripeStateOf({ url: simulator }, email);
  expect(subscriptions.map(({ items }) => items.data[0]?.price.unit_amount)).toEqual([1_999]);
  expect((await send({ email: "other@example.com", price_cents: "1998" })).status).toBe(409);
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

test("after kill -9 of npm start no Worker keeps the database's files open", async () => {
  const started = await start(await freePorts(), "start");
  const processes = descendantsOf(Number(started.npm.pid));
  const workerd = processes.filter(({ command }) => /workerd.* serve/.test(command));
  expect(workerd).toHaveLength(1);
  for (const { pid, command } of processes) if (command.includes("start.ts")) process.kill(pid, "SIGKILL");
  await expect.poll(() => workerd.filter(({ pid }) => isRunning(pid))).toEqual([]);
});
