import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { root } from "../../../tools/wrangler/wrangler";

const FOLDERS = ["app", "docs", "functions", "public", "tests", "tools"];
const FILES = [
  ...["package.json", "tsconfig.json", "wrangler.toml", "remix.config.js", "postcss.config.js", ".gitignore"],
  ...["README.md", "biome.json", "vitest.config.ts", "playwright.config.ts", ".dev.vars.example"],
];

type Started = { input?: string; uid?: number | undefined };

/** A copy of the repository without builds, in which a test may change files and run commands. */
export async function checkOut() {
  const folder = await mkdtemp(join(tmpdir(), "checkout-"));
  const home = await mkdtemp(join(tmpdir(), "home-"));
  await chmod(home, 0o1777);
  for (const name of [...FOLDERS, ...FILES])
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.endsWith("public/build"),
    });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet");
  for (const [name, value] of Object.entries({ "user.name": "x", "user.email": "x@acme.com" }))
    git("config", name, value);
  /** Runs a program to its end, without this machine's Cloudflare login. @param input what is typed */
  async function runToEnd(program: string, args: string[], env: NodeJS.ProcessEnv, { input = "", uid }: Started = {}) {
    const ofHome = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), npm_config_logs_dir: join(home, "npm-logs") };
    const own = { NODE_ENV: undefined, NODE_OPTIONS: undefined, ...ofHome };
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...own, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      uid,
    });
    child.stdin.end(input);
    const ended = [text(child.stdout), text(child.stderr), once(child, "close")] as const;
    const [stdout, stderr, [exitCode]] = await Promise.all(ended);
    return { stdout, output: stdout + stderr, exitCode: z.number().parse(exitCode) };
  }
  /** @param uid of the user who runs it */
  const npm = (args: string[], env: NodeJS.ProcessEnv = {}, uid?: number) => runToEnd("npm", args, env, { uid });
  return {
    folder,
    home,
    npm,
    /** Runs lines of a shell until one fails. @param input what is typed after them */
    type: (lines: string, env: NodeJS.ProcessEnv, input = "") => runToEnd("bash", ["-e", "-c", lines], env, { input }),
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
    dispose: () => Promise.all([folder, home].map((one) => rm(one, { recursive: true, force: true }))),
  };
}
