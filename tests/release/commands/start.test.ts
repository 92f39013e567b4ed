import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import initSqlJs from "sql.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { portsOf } from "../../../tools/start/ports";
import { fields } from "../../support/visitors/site-visitor";
import { enterCard } from "../../support/visitors/visitor";
import { type Checkout, checkOut } from "./checkout";
import { freePort } from "./free-port";

/* `npm start` as a person runs it, in a checkout and on ports of its own. */

let checkout: Checkout;
beforeAll(async () => {
  checkout = await checkOut();
});
afterAll(() => checkout.dispose());

/** Three ports in a row that nothing listens on. */
async function threePorts(): Promise<[number, number, number]> {
  for (;;) {
    const port = await freePort();
    if ((await isFree(port + 1)) && (await isFree(port + 2))) return [port, port + 1, port + 2];
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

type Started = { npm: ChildProcess; lines: string[]; ended: Promise<unknown> };

/** Starts everything; npm has a process group of its own, as in a terminal. */
function start({ folder }: Checkout, port: number, script = "start"): Started {
  const npm = spawn("npm", ["run", script, "--silent"], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_ENV: undefined,
      NODE_OPTIONS: undefined,
      STRIPE_SECRET_KEY: undefined,
      STRIPE_PUBLISHABLE_KEY: undefined,
      PORT: String(port),
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const lines: string[] = [];
  for (const input of [npm.stdout, npm.stderr]) createInterface({ input }).on("line", (line) => lines.push(line));
  onTestFinished(() => {
    if (npm.exitCode === null && npm.signalCode === null && npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
  });
  return { npm, lines, ended: once(npm, "close") };
}

const PAGE_BYTES = 4096;

const READY = { timeout: 360_000, interval: 500 };

const ready = ({ lines }: Started) => expect.poll(() => lines.at(-1), READY).toMatch(/^Ready: open/);

/** The checkout's processes, from Linux's /proc; elsewhere the tests check only its ports. */
async function processesOf(folder: string): Promise<string[]> {
  const found = [];
  for (const id of (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const [command, environment] = await Promise.all([
      readFile(`/proc/${id}/cmdline`, "utf8").catch(() => ""),
      readFile(`/proc/${id}/environ`, "utf8").catch(() => ""),
    ]);
    if (command.includes(folder) || environment.includes(`PWD=${folder}`))
      found.push(`${id} ${command.replaceAll("\0", " ")}`);
  }
  return found;
}

/** Sends half of a form, then disconnects. */
async function abortUpload(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const head = [
    "POST /subscription HTTP/1.1",
    `Host: localhost:${port}`,
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Length: 10000",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\nemail=`);
  await once(socket.resume(), "close");
}

/** What a client of HTTP/1.0 that accepts gzip, such as w3m, reads until a page's end. */
async function readOverHttp10(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET / HTTP/1.0\r\nHost: localhost:${port}\r\nAccept-Encoding: gzip\r\n\r\n`);
  let answer = "";
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.includes("</html>")) break;
  }
  return answer;
}

/** Process ids of the Workers' runtimes. */
async function workerdOf({ folder }: Checkout): Promise<number[]> {
  const processes = await processesOf(folder);
  return processes.filter((line) => line.includes("workerd serve")).map((line) => Number.parseInt(line, 10));
}

async function expectNothingLeft({ folder }: Checkout, ports: number[]): Promise<void> {
  await expect.poll(() => processesOf(folder), { timeout: 20_000, interval: 250 }).toEqual([]);
  for (const port of ports) expect(await isFree(port), `port ${port}`).toBe(true);
}

test("npm start uses PORT and prints about ten lines; the sign-up works there, and Ctrl-C stops every process", async () => {
  const [site, api, stripe] = await threePorts();
  const started = start(checkout, site);
  await ready(started);
  expect(started.lines).toEqual([
    "Migrating the local database …",
    "Building …",
    "Starting the Workers …",
    `  mailbox           http://localhost:${stripe}/mailbox`,
    `  customer portal   http://localhost:${stripe}/p/login/test`,
    `  account webhooks  http://localhost:${stripe}/console`,
    `  Stripe dashboard  http://localhost:${stripe}/dashboard`,
    `  funnel            http://localhost:${stripe}/funnel`,
    `  subscription API  http://localhost:${api}`,
    `  operator's page   http://localhost:${api}/operator`,
    "Press Ctrl-C to stop everything.",
    `Ready: open http://localhost:${site}`,
  ]);

  const url = `http://localhost:${site}/subscription/${fields.package_id}`;
  const form = await (await fetch(url)).text();
  const form_nonce = /name="form_nonce"[^>]*value="([^"]+)"/.exec(form)?.[1] ?? "";
  const posted = await fetch(url, {
    method: "POST",
    body: new URLSearchParams({ ...fields, form_nonce }),
    headers: { Origin: `http://localhost:${site}`, "Sec-Fetch-Site": "same-origin" },
    redirect: "manual",
  });
  expect(posted.status).toBe(303);
  const cookie = posted.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const card = await (await fetch(url, { headers: { cookie } })).text();
  expect(card).toContain(`http://localhost:${stripe}/endive/stripe.js`);
  expect(`${card}${await (await fetch(`http://localhost:${site}/`)).text()}`).not.toMatch(/localhost:878\d/);

  // Only failed requests are printed.
  await fetch(`http://localhost:${site}/no-such-page?email=ada@example.com`);
  await fetch(`${url}?email=ada@example.com`, {
    method: "POST",
    body: new URLSearchParams({ ...fields, zipCode: "6" }),
  });
  await fetch(`http://localhost:${api}/subscription`, { method: "POST", body: "{}" });
  await expect
    .poll(() => started.lines.slice(12))
    .toEqual([
      "site             │ GET /no-such-page 404",
      `site             │ POST /subscription/${fields.package_id} 422`,
      "subscription-api │ POST /subscription 415",
    ]);

  // The site survives an oversized form and an aborted upload.
  await fetch(url, { method: "POST", body: new URLSearchParams({ ...fields, address: "x".repeat(100_000) }) });
  await abortUpload(site);
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    expect((await fetch(`http://${host}:${site}/`)).status, host).toBe(200);
  }
  expect(await readOverHttp10(site)).toMatch(/^HTTP\/1\.\d 200 OK\r\n(?!.*chunked).*\r\n\r\n<!DOCTYPE html>/s);

  for (const id of await workerdOf(checkout)) process.kill(id, "SIGKILL");
  for (const port of [site, api, stripe]) {
    const health = () => fetch(`http://localhost:${port}/health`).then(({ status }) => status, String);
    await expect.poll(health, { timeout: 60_000 }).toBe(200);
  }
  expect(started.lines.filter((line) => line.endsWith("│ stopped unexpectedly; starting again"))).toHaveLength(3);

  // Stripe's webhook reaches the API, whose email reaches the mailbox.
  const secret = /seti_\w+_secret_\w+/.exec(card)?.[0] ?? "";
  await enterCard(`http://localhost:${stripe}`, secret);
  const mailbox = async () => (await fetch(`http://localhost:${stripe}/mailbox`)).text();
  await expect.poll(mailbox, { timeout: 20_000 }).toContain(fields.email.toLowerCase());

  expect((await checkout.run("smoke", [], { PORT: String(site) })).exitCode).toBe(0);
  const exported = await checkout.run("export", ["--email", fields.email], { PORT: String(site) });
  expect(exported.output).toContain(fields.email.toLowerCase());

  process.kill(-Number(started.npm.pid), "SIGINT");
  await started.ended;
  // npm may exit before its child processes.
  await expect.poll(() => started.lines).toContain("Stopping …");
  await expectNothingLeft(checkout, [site, api, stripe]);
}, 600_000);

test("npm run dev serves a saved change, applies a new migration, and names the place of an error", async () => {
  const [site, api] = await threePorts();
  const { npm, lines, ended } = start(checkout, site, "dev");
  await expect.poll(() => lines.at(-1), READY).toMatch(/^Ready: open/);
  const get = async (path: string) => (await fetch(`http://localhost:${site}${path}`)).text();
  const reloaded = async (name: string, change: () => Promise<unknown>) => {
    const before = lines.length;
    await change();
    await expect.poll(() => lines.slice(before), READY).toContain(`${name} reloaded`);
  };
  const startedAt = await get("/cdn-cgi/dev/started");
  expect(await get("/pricing")).toContain(`!== "${startedAt}") location.reload()`);

  const content = "app/pricing/pricing-content.ts";
  await reloaded("site", () => checkout.change(content, (text) => text.replace(/title: "[^"]*"/, 'title: "Saved"')));
  expect(await get("/pricing")).toContain("Saved</h1>");
  expect(await get("/cdn-cgi/dev/started")).not.toBe(startedAt);

  const migration = join(checkout.folder, "functions/subscription-api/migrations/0099_new.sql");
  await reloaded("subscription-api", async () => {
    await writeFile(migration, "CREATE TABLE a_new_one (id TEXT)");
    await checkout.change("functions/subscription-api/cron-runs.ts", (text) => `${text}\n`);
  });
  expect((await fetch(`http://localhost:${api}/health`)).status).toBe(200);
  await rm(migration);

  await checkout.change(content, (text) => `${text}\nconst = 1;\n`);
  await expect.poll(() => lines.join("\n"), READY).toMatch(/pricing-content\.ts.*\(\d+:\d+\)/);
  process.kill(-Number(npm.pid), "SIGINT");
  await ended;
}, 600_000);

test("npm start names a port in use and a PORT that is not a number", async () => {
  const [port] = await threePorts();
  const server = createServer().listen(port + 1, "127.0.0.1");
  await once(server, "listening");
  const taken = await checkout.run("start", [], { PORT: String(port) });
  server.close();
  expect(taken).toEqual({
    output: `Port ${port + 1}, where the subscription API runs, is in use: stop what listens there, or choose another, such as PORT=9000 npm start.\n`,
    exitCode: 1,
  });
  expect(() => portsOf({ PORT: "http" })).toThrow(
    "PORT is http: set it to a number from 1 to 65533. The two ports after it are used too.",
  );
});

/** A database of several pages, of which all but the first are damaged. */
async function withDamagedPages(): Promise<Buffer> {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE, applied_at TEXT)");
  database.run("INSERT INTO d1_migrations (name) VALUES ('0001_subscriptions.sql')");
  const good = Buffer.from(database.export());
  expect(good.length).toBeGreaterThan(PAGE_BYTES);
  return Buffer.concat([good.subarray(0, PAGE_BYTES), Buffer.alloc(good.length - PAGE_BYTES, 7)]);
}

test.each<[string, () => Promise<Buffer>]>([
  ["is not a database", async () => Buffer.alloc(2 * PAGE_BYTES, "x")],
  ["has damaged pages", withDamagedPages],
])(
  "npm start names a local database that %s, and says what to do",
  async (_name, damaged) => {
    const folder = join(checkout.folder, ".wrangler/state/v3/d1/miniflare-D1DatabaseObject");
    await mkdir(folder, { recursive: true });
    const [name = "nothing was started before"] = (await readdir(folder)).filter((path) =>
      /^[\da-f]+\.sqlite$/.test(path),
    );
    for (const log of ["-wal", "-shm"]) await rm(join(folder, name + log), { force: true });
    await writeFile(join(folder, name), await damaged());
    const { npm, lines, ended } = start(checkout, (await threePorts())[0]);
    await ended;
    expect(npm.exitCode).toBe(1);
    expect(lines).not.toContain("Building …");
    expect(lines.at(-1)).toContain(
      "The local database in .wrangler/state is damaged: delete it with rm -rf .wrangler/state and start again; ",
    );
    expect(lines.join("\n")).not.toMatch(/\n\s+at /);
  },
  120_000,
);
