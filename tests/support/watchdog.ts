import { relative } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeEach, expect } from "vitest";

/*
 * Names the test that loops endlessly, because Vitest's own timeout cannot run then. A second thread ends the process after 20
 * seconds of CPU time without a turn of the event loop.
 */

const THREAD = `
const { parentPort } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const cpuSeconds = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
let [name, atTurn] = ["", cpuSeconds()];
parentPort.on("message", (running) => {
  atTurn = cpuSeconds();
  name = running ?? name;
});
setInterval(() => {
  if (cpuSeconds() - atTurn < 20) return;
  writeSync(2, "\\nAn endless loop in: " + name + "\\n");
  process.kill(process.pid, "SIGKILL");
}, 1000);
`;

/** One thread per process, although the process loads this module again for each test file. */
const threads = globalThis as { threadBesideTests?: Worker };
if (!threads.threadBesideTests) {
  const thread = new Worker(THREAD, { eval: true });
  thread.unref();
  setInterval(() => thread.postMessage(undefined), 1000).unref();
  threads.threadBesideTests = thread;
}

const runs = (name: string) => threads.threadBesideTests?.postMessage(name);
const fileOf = () => relative(process.cwd(), expect.getState().testPath ?? "");

runs(`${fileOf()}, outside its tests`);
beforeEach(({ task }) => runs(`${fileOf()} > ${expect.getState().currentTestName ?? task.name}`));
afterEach(() => runs(`${fileOf()}, outside its tests`));
afterAll(() => runs(""));
