import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { root } from "../../../tools/wrangler/wrangler";

/** Debian's nobody: any user without rights will do. */
export const NOBODY = 65_534;
/** What a clone or a zip of the repository does not have. */
const NOT_COMMITTED = /^(?:\.git|\.cache|\.wrangler|\.dev\.vars|build|node_modules|test-results)$/;

export type Checkout = Awaited<ReturnType<typeof checkOut>>;
/** `isDetached`: in a process group of its own, as in a terminal. */
type Run = { input?: string; uid?: number | undefined; isDetached?: boolean };

/**
 * A copy of the repository without builds, in which a test may change files and run commands: a clone with this repository's
 * packages; or a zip as a new user unpacks it, without git and packages, below a folder with a space and an umlaut. Where the tests
 * run as root, the zip belongs to a user without rights, who runs the commands.
 */
export async function checkOut({ isZip = false } = {}) {
  const top = await mkdtemp(join(tmpdir(), "checkout-"));
  const [home, folder] = [join(top, "home"), join(top, isZip ? "Für Citewell/site" : "site")];
  await mkdir(home);
  await chmod(top, 0o755);
  // Any user may write there, as into every machine's folder for temporary files.
  for (const one of [home, tmpdir()]) await chmod(one, 0o1777);
  for (const name of (await readdir(root)).filter((one) => !NOT_COMMITTED.test(one)))
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !NOT_COMMITTED.test(basename(path)),
    });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  const owner = isZip && process.getuid?.() === 0 ? NOBODY : undefined;
  if (owner !== undefined) execFileSync("chown", ["-R", `${owner}:${owner}`, top]);
  if (!isZip) {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    git("init", "--quiet");
    git("config", "user.name", "x");
    git("config", "user.email", "x@acme.com");
  }
  // npm tells its scripts its own cache and prefix. Nobody is logged in to Cloudflare.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const environment = {
    ...Object.fromEntries(inherited),
    ...{ NODE_ENV: undefined, NODE_OPTIONS: undefined, TEST_RESULTS: undefined, npm_config_update_notifier: "false" },
    ...{ HOME: home, XDG_CONFIG_HOME: join(home, ".config"), npm_config_logs_dir: join(home, "npm-logs") },
    ...(isZip && { TMPDIR: home }),
  };

  function begin(program: string, args: string[], env: NodeJS.ProcessEnv, { uid = owner, isDetached = false }: Run) {
    return spawn(program, args, { cwd: folder, env: { ...environment, ...env }, uid, gid: uid, detached: isDetached });
  }
  /** Runs a program to its end. @param run.input what is typed @param run.uid of the user who runs it */
  async function runToEnd(program: string, args: string[], env: NodeJS.ProcessEnv = {}, { input = "", uid }: Run = {}) {
    const child = begin(program, args, env, { uid });
    child.stdin.end(input);
    const ended = [text(child.stdout), text(child.stderr), once(child, "close")] as const;
    const [stdout, stderr, [exitCode]] = await Promise.all(ended);
    return { stdout, output: stdout + stderr, exitCode: z.number().parse(exitCode) };
  }
  return {
    folder,
    home,
    begin,
    npm: (args: string[], env: NodeJS.ProcessEnv = {}, uid?: number) => runToEnd("npm", args, env, { uid }),
    /** Runs lines of a shell until one fails. @param input what is typed after them */
    type: (lines: string, env: NodeJS.ProcessEnv = {}, input = "") =>
      runToEnd("bash", ["-e", "-c", lines], env, { input }),
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
      runToEnd("npm", ["run", "--silent", script, "--", ...args], env),
    dispose: () => rm(top, { recursive: true, force: true, maxRetries: 5 }),
  };
}
