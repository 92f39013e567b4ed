import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../../../tools/wrangler/wrangler";

/** Left out of a zip of the repository. */
const NOT_IN_ZIP = new Set([".git", ".cache", ".wrangler", "build", "node_modules", "test-results"]);
/** Debian's nobody: any user without rights will do. */
const NOBODY = 65_534;

export type StrangersFolder = Awaited<ReturnType<typeof unpackZip>>;

/**
 * The repository as a new user has it: unpacked from a zip, without git, below a folder with a space and an umlaut. Where the
 * tests run as root, all of it belongs to a user without rights, who runs the commands.
 */
export async function unpackZip() {
  const top = await mkdtemp(join(tmpdir(), "zip-"));
  const [home, folder] = [join(top, "home"), join(top, "Für Citewell", "site")];
  await mkdir(home);
  for (const name of (await readdir(root)).filter((one) => !NOT_IN_ZIP.has(one))) {
    const filter = (path: string) => !NOT_IN_ZIP.has(basename(path));
    await cp(join(root, name), join(folder, name), { recursive: true, filter });
  }
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(tmpdir(), 0o755);
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, top]);
  }
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

  function begin(command: string, { node, env }: { node?: string | undefined; env?: NodeJS.ProcessEnv | undefined }) {
    // npm tells its scripts its own cache and prefix.
    const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
    const path = [...(node ? [node] : []), process.env.PATH].join(delimiter);
    const ofTests = { NODE_ENV: undefined, NODE_OPTIONS: undefined, TEST_RESULTS: undefined };
    const clean = { ...ofTests, CI: "1", TMPDIR: home, HOME: home, PATH: path };
    const [program = "", ...args] = command.split(" ");
    return spawn(program, args, {
      ...{ cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"], ...user },
      env: { ...Object.fromEntries(inherited), npm_config_update_notifier: "false", ...clean, ...env },
    });
  }
  return {
    folder,
    home,
    /** Runs a command to its end. @param options.node the folder of another Node's program */
    async run(command: string, options: { node?: string; env?: NodeJS.ProcessEnv } = {}) {
      const child = begin(command, options);
      const lines = linesOf(child);
      const [exitCode] = await once(child, "close");
      return { exitCode, output: lines.join("\n") };
    },
    /** Runs a command until it prints a line; `stop` presses Ctrl-C. */
    async runUntil(line: RegExp, command: string, options: { node?: string; env?: NodeJS.ProcessEnv } = {}) {
      const child = begin(command, options);
      const lines = linesOf(child);
      const ended = once(child, "close");
      while (!lines.some((one) => line.test(one))) {
        const isOver = await Promise.race([
          ended.then(() => true),
          once(child.stdout ?? child, "data").then(() => false),
        ]);
        if (isOver) throw new Error(`${command} ended:\n${lines.join("\n")}`);
      }
      const stop = async () => {
        process.kill(-Number(child.pid), "SIGINT");
        await ended;
      };
      return { lines, stop };
    },
    /** Runs a command to its end, and returns its output. Throws an error with the output of a command that fails. */
    async succeed(command: string, options: { node?: string; env?: NodeJS.ProcessEnv } = {}) {
      const { exitCode, output } = await this.run(command, options);
      // Vitest takes lines that start with "at" for frames of this error, and cannot read each file that they name.
      const quoted = output.replace(/^/gm, "> ");
      if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}:\n${quoted}`);
      return output;
    },
    dispose: () => rm(top, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    if (input) createInterface({ input }).on("line", (line) => lines.push(line));
  }
  return lines;
}

/** Takes a Node from the npm registry, which has its program as a package for each platform. Returns the program's folder. */
export async function installNode(major: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `node-${major}-`));
  await chmod(folder, 0o755);
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  try {
    execFileSync(
      "npm",
      ["install", "--prefix", folder, "--no-audit", "--no-fund", "--prefer-offline", `${name}@${major}`],
      {
        cwd: folder,
        stdio: "pipe",
      },
    );
  } catch (error) {
    throw new Error(`Node ${major} could not be tried, since the npm registry gave no ${name}@${major}`, {
      cause: error,
    });
  }
  return join(folder, "node_modules", name, "bin");
}
