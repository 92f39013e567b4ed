import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { fields } from "../../support/visitors/site-visitor";
import { enterCard } from "../../support/visitors/visitor";
import { type Checkout, checkOut } from "./checkout";

/* `npm start` and `npm run dev` as a person runs them, in a checkout and on ports of its own. */

let checkout: Checkout;
beforeAll(async () => {
  checkout = await checkOut();
});
afterAll(() => checkout.dispose());

/** The first of three ports that nothing listens on, below the ports of outgoing connections. */
async function freePorts(): Promise<number> {
  const port = 10_081 + 3 * Math.floor(Math.random() * 7_000);
  const servers = [port, port + 1, port + 2].map((one) => createServer().listen(one, "127.0.0.1"));
  const listening = await Promise.allSettled(servers.map((server) => once(server, "listening")));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return listening.every(({ status }) => status === "fulfilled") ? port : freePorts();
}

type Started = { npm: ChildProcess; lines: string[] };

/** npm has a process group of its own, as in a terminal. */
function start(port: number, script: string): Started {
  const env = {
    ...process.env,
    NODE_ENV: undefined,
    NODE_OPTIONS: undefined,
    STRIPE_SECRET_KEY: "",
    PORT: String(port),
  };
  const npm = spawn("npm", ["run", script, "--silent"], { cwd: checkout.folder, env, detached: true });
  const lines: string[] = [];
  for (const input of [npm.stdout, npm.stderr]) createInterface({ input }).on("line", (line) => lines.push(line));
  onTestFinished(() => {
    if (npm.exitCode === null && npm.signalCode === null && npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
  });
  return { npm, lines };
}

const WAITING = { timeout: 180_000, interval: 200 };
const ready = ({ lines }: Started) => expect.poll(() => lines.at(-1), WAITING).toMatch(/^Ready: open/);

/** The checkout's processes, from Linux's /proc; elsewhere none are found. */
async function processes(): Promise<string[]> {
  const found = [];
  for (const id of (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
    const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
    if (command.includes(checkout.folder) || environment.includes(`PWD=${checkout.folder}`)) found.push(command);
  }
  return found;
}

/** Sends part of a form, then disconnects. */
async function abortUpload(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(`POST / HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: 10000\r\n\r\nemail=`, () =>
    socket.destroy(),
  );
  await once(socket, "close");
}

/** A page's answer to a client of HTTP/1.0 that accepts gzip, such as w3m. */
async function overHttp10(port: number, path: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(
    `GET ${path} HTTP/1.0\r\nHost: localhost:${port}\r\nAccept-Encoding: gzip, compress\r\nConnection: close\r\n\r\n`,
  );
  return text(socket);
}

test("npm start serves the sign-up on PORT, prints addresses and failed requests, outlives aborted uploads and ends with Ctrl-C", async () => {
  const site = await freePorts();
  const started = start(site, "start");
  await ready(started);
  expect(started.lines).toEqual([
    "Building …",
    "Starting the Workers …",
    `  mailbox           http://localhost:${site + 2}/mailbox`,
    `  account webhooks  http://localhost:${site + 2}/console`,
    `  Stripe dashboard  http://localhost:${site + 2}/dashboard`,
    `  customer portal   http://localhost:${site + 2}/p/login/test`,
    `  subscription API  http://localhost:${site + 1}`,
    "Press Ctrl-C to stop everything.",
    `Ready: open http://localhost:${site}`,
  ]);

  const url = `http://localhost:${site}/subscription/${fields.package_id}`;
  const send = (change: object) =>
    fetch(url, { method: "POST", body: new URLSearchParams({ ...fields, ...change }), redirect: "manual" });
  const posted = await send({});
  expect(posted.status).toBe(303);
  const cookie = posted.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const card = await (await fetch(url, { headers: { cookie } })).text();
  expect(card).toContain(`http://localhost:${site + 2}/endive/stripe.js`);
  await enterCard(`http://localhost:${site + 2}`, /seti_\w+_secret_\w+/.exec(card)?.[0]);
  const mailbox = async () => (await fetch(`http://localhost:${site + 2}/mailbox`)).text();
  await expect.poll(mailbox, WAITING).toContain(fields.email.toLowerCase());

  await fetch(`http://localhost:${site}/no-such-page?email=ada@example.com`);
  expect((await send({ zipCode: "6" })).status).toBe(422);
  const failed = ["GET /no-such-page 404", `POST /subscription/${fields.package_id} 422`];
  await expect.poll(() => started.lines.slice(9), WAITING).toEqual(failed);

  for (let count = 0; count < 3; count += 1) await abortUpload(site);
  for (const host of ["localhost", "127.0.0.1", "[::1]"])
    expect((await fetch(`http://${host}:${site}/`)).status).toBe(200);
  for (const path of ["/", "/pricing", "/terms", `/subscription/${fields.package_id}`]) {
    expect(await overHttp10(site, path)).toMatch(
      /^HTTP\/1\.\d 200 OK\r\n(?!.*chunked).*\r\n\r\n<!DOCTYPE html>.*<\/html>/s,
    );
  }
  const taken = await checkout.run("start", [], { PORT: String(site) });
  expect(taken.output).toContain(`Port ${site} is in use: stop what listens there, or choose another`);
  expect((await checkout.run("smoke", [], { PORT: String(site) })).output).not.toContain("✗");

  process.kill(-Number(started.npm.pid), "SIGINT");
  await expect.poll(() => started.lines, WAITING).toContain("Stopping …");
  await expect.poll(processes, WAITING).toEqual([]);
}, 600_000);

test("npm run dev serves a saved change, applies a new migration, and tells of a build that failed", async () => {
  const site = await freePorts();
  const { npm, lines } = start(site, "dev");
  await ready({ npm, lines });
  const said = async (sentence: RegExp, change: () => Promise<unknown>) => {
    const before = lines.length;
    await change();
    await expect.poll(() => lines.slice(before).join("\n"), WAITING).toMatch(sentence);
  };
  const content = "app/pricing/pricing-content.ts";
  await said(/^Reloaded: site/m, () =>
    checkout.change(content, (code) => code.replace(/title: "[^"]*"/, 'title: "Saved"')),
  );
  expect(await (await fetch(`http://localhost:${site}/pricing`)).text()).toContain("Saved</h1>");
  const migration = join(checkout.folder, "functions/subscription-api/migrations/0099_new.sql");
  await said(/^Reloaded: subscription-api/m, () => writeFile(migration, "CREATE TABLE a_new_one (id TEXT)"));
  expect((await fetch(`http://localhost:${site + 1}/health`)).status).toBe(200);
  await said(/pricing-content\.ts/, () => checkout.change(content, (code) => `${code}\nconst = 1;\n`));
  expect((await fetch(`http://localhost:${site}/pricing`)).status).toBe(200);
  process.kill(-Number(npm.pid), "SIGINT");
  await expect.poll(processes, WAITING).toEqual([]);
}, 600_000);
