import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Global setup of Vitest and Playwright: a run's temporary files are deleted at its end. */
export default async function setUp(): Promise<() => Promise<void>> {
  // Short, since a path to a socket has at most 104 bytes on a Mac, and Chromium makes one in here.
  const folder = await mkdtemp(join(tmpdir(), "t-"));
  process.env.TMPDIR = folder;
  // The same on Windows.
  process.env.TEMP = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
