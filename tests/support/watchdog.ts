import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeEach, expect } from "vitest";

/*
 * Names the test that loops endlessly or crashes its process, because Vitest's own timeout cannot run then. A second thread
 * reports tests that take long, and ends the process after 20 seconds of CPU time without a turn of the event loop. The running
 * test's name is in a file that outlives the process; tests/temporary-folder.ts reads it at the end.
 */

const LOOP_CPU_SECONDS = 20;
const LONG_SECONDS = 50;

const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const cpuSeconds = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
let [name, started, isTold, atTurn] = ["", Date.now(), false, cpuSeconds()];
parentPort.on("message", (running) => {
  atTurn = cpuSeconds();
  if (running !== undefined) [name, started, isTold] = [running, Date.now(), false];
});
setInterval(() => {
  const seconds = Math.round((Date.now() - started) / 1000);
  if (name && !isTold && seconds >= workerData.LONG_SECONDS) {
    isTold = true;
    writeSync(2, "\\nStill running after " + seconds + " s: " + name + "\\n");
  }
  if (cpuSeconds() - atTurn < workerData.LOOP_CPU_SECONDS) return;
  writeSync(2, "\\nAn endless loop in: " + name + "\\n");
  process.kill(process.pid, "SIGKILL");
}, 1000);
`;

/** One thread per process, although the process loads this module again for each test file. */
const threads = globalThis as { threadBesideTests?: Worker };
if (!threads.threadBesideTests) {
  const thread = new Worker(THREAD, { eval: true, workerData: { LOOP_CPU_SECONDS, LONG_SECONDS } });
  thread.unref();
  setInterval(() => thread.postMessage(undefined), 1000).unref();
  threads.threadBesideTests = thread;
}

/** @param name empty when nothing runs */
function runs(name: string) {
  threads.threadBesideTests?.postMessage(name);
  const folder = process.env.RUNNING_TESTS;
  if (folder !== undefined) writeFileSync(join(folder, String(process.pid)), name);
}

const fileOf = () => relative(process.cwd(), expect.getState().testPath ?? "");

runs(`${fileOf()}, outside its tests`);
beforeEach(({ task }) => runs(`${fileOf()} > ${expect.getState().currentTestName ?? task.name}`));
afterEach(() => runs(`${fileOf()}, outside its tests`));
afterAll(() => runs(""));
