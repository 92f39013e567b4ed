import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";

const MINUTE = 60_000;
const playwrightCli = fileURLToPath(new URL("../node_modules/@playwright/test/cli.js", import.meta.url));

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

export function findOrInstallChromium(): string {
  const found = findChromium();
  if (found !== undefined) return found;
  const isRootOnDebian = process.getuid?.() === 0 && existsSync("/etc/debian_version");
  const installs = [
    { title: "Playwright's download", commands: [[process.execPath, playwrightCli, "install", "chromium"]] },
    ...(isRootOnDebian
      ? [
          {
            title: "apt-get",
            commands: ["apt-get update", "apt-get install -y chromium"].map((line) => line.split(" ")),
          },
        ]
      : []),
  ];
  for (const { title, commands } of installs) {
    console.log(`No Chromium here: installing one by ${title} …`);
    for (const command of commands) run(command);
    const installed = findChromium();
    if (installed !== undefined) return installed;
    console.log(`${title} gave no Chromium that runs.`);
  }
  throw new Error("The browser tests need Chromium: install it, or set CHROMIUM_PATH to its program.");
}

function run([command = "", ...args]: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"], timeout: 3 * MINUTE, env });
}

// Some systems have a program of that name that only explains how to install it.
function runs(program: string): boolean {
  return existsSync(program) && spawnSync(program, ["--version"], { timeout: MINUTE / 4 }).status === 0;
}
