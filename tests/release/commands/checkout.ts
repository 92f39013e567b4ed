import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { root } from "../../../tools/wrangler/wrangler";

const FOLDERS = ["app", "functions", "public", "tools"];
const FILES = ["package.json", "tsconfig.json", "wrangler.toml", "remix.config.js", "postcss.config.js", ".gitignore"];

/** A copy of the repository, in which a test may change files and run commands. */
export async function checkOut() {
  const folder = await mkdtemp(join(tmpdir(), "checkout-"));
  for (const name of [...FOLDERS, ...FILES]) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@acme.com", ...args], { cwd: folder });
  git("init", "--quiet");
  /** Runs npm to its end, without this machine's Cloudflare login. @param uid of the user who runs it */
  async function npm(args: string[], env: NodeJS.ProcessEnv = {}, uid?: number) {
    const home = { HOME: folder, XDG_CONFIG_HOME: join(folder, ".config") };
    const own = { NODE_ENV: undefined, NODE_OPTIONS: undefined, ...home };
    const child = spawn("npm", args, {
      cwd: folder,
      env: { ...process.env, ...own, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      uid,
    });
    const ended = [text(child.stdout), text(child.stderr), once(child, "close")] as const;
    const [stdout, stderr, [exitCode]] = await Promise.all(ended);
    return { stdout, output: stdout + stderr, exitCode: z.number().parse(exitCode) };
  }
  return {
    folder,
    npm,
    async change(file: string, change: (text: string) => string) {
      await writeFile(join(folder, file), change(await readFile(join(folder, file), "utf8")));
    },
    /** Commits all changes; returns the commit's first twelve digits. */
    commit(): string {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", "A release");
      return git("rev-parse", "--short=12", "HEAD").toString().trim();
    },
    /** Runs a script of package.json. */
    run: (script: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
      npm(["run", "--silent", script, "--", ...args], env),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}
