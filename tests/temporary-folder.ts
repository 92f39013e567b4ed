import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Global setup of Vitest and Playwright: a run's temporary files are deleted at its end. Before that, tests whose process has
 * ended while they ran are named (tests/support/watchdog.ts).
 */
export default async function setUp(): Promise<() => Promise<void>> {
  // Short, since a path to a socket has at most 104 bytes on a Mac, and Chromium makes one in here.
  const folder = await mkdtemp(join(tmpdir(), "t-"));
  const running = join(folder, "running");
  await mkdir(running);
  process.env.TMPDIR = folder;
  // The same on Windows.
  process.env.TEMP = folder;
  process.env.RUNNING_TESTS = running;
  return async () => {
    for (const file of await readdir(running)) {
      const name = await readFile(join(running, file), "utf8");
      if (name) process.stderr.write(`\nEnded while it ran: ${name}\n`);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
