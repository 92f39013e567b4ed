import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { platform } from "node:process";
import { chromium } from "@playwright/test";
import { askThisMachineDirectly } from "./no-proxy";

askThisMachineDirectly(process.env);

const MINUTE = 60_000;
const playwrightCli = createRequire(import.meta.url).resolve("@playwright/test/cli");

export const INSTALL_CHROMIUM = [process.execPath, playwrightCli, "install", "chromium"];

export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") {
    if (runs(named)) return named;
    throw new Error(`CHROMIUM_PATH names no browser that runs: ${named}`);
  }
  const folders = (process.env.PATH ?? "").split(delimiter);
  const system = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return [...system, chromium.executablePath()].find(runs);
}

/** Installs a Chromium if there is none: Playwright's, else Debian's. */
export function findOrInstallChromium(): string {
  const isRootOnDebian = process.getuid?.() === 0 && existsSync("/etc/debian_version");
  const debian = ["apt-get update", "apt-get install -y chromium"].map((line) => line.split(" "));
  const commands = [INSTALL_CHROMIUM, ...(isRootOnDebian ? debian : [])];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  let found = findChromium();
  for (const [program = "", ...args] of commands) {
    if (found !== undefined) break;
    console.log(`No Chromium here: ${program} ${args.join(" ")} …`);
    spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"], timeout: 3 * MINUTE, env });
    found = findChromium();
  }
  if (found !== undefined) return found;
  throw new Error(
    "The browser tests need Chromium: install Chromium or Google Chrome, or set CHROMIUM_PATH to its program.",
  );
}

/** On some systems the program of this name only explains how to install Chromium. On Windows, asking opens a window. */
function runs(program: string): boolean {
  if (platform === "win32") return existsSync(program);
  return existsSync(program) && spawnSync(program, ["--version"], { timeout: MINUTE / 4 }).status === 0;
}
