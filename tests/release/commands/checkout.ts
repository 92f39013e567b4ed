import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const PARTS = ["app", "functions", "public", "tools", "package.json", "tsconfig.json", "wrangler.toml"];
const FILES = [...PARTS, "remix.config.js", "postcss.config.js"];

/** A copy of the repository, in which a test may change files and run commands. */
export type Checkout = {
  folder: string;
  change(file: string, change: (text: string) => string): Promise<void>;
  /** Runs a script of package.json to its end. */
  run(script: string, args?: string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
  dispose(): Promise<void>;
};

/** A command's output (both streams) and exit code. */
export type Ended = { output: string; exitCode: number | null };

export async function checkOut(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), "checkout-"));
  for (const name of FILES) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return {
    folder,
    async change(file, change) {
      const path = join(folder, file);
      await writeFile(path, change(await readFile(path, "utf8")));
    },
    async run(script, args = [], env = {}) {
      const child = spawn("npm", ["run", "--silent", script, "--", ...args], {
        cwd: folder,
        env: {
          ...process.env,
          // The test runner's own variables.
          NODE_ENV: undefined,
          NODE_OPTIONS: undefined,
          // Ignores this machine's Cloudflare login.
          XDG_CONFIG_HOME: join(folder, ".config"),
          HOME: folder,
          ...env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [stdout, stderr, [exitCode]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      return { output: `${stdout}${stderr}`, exitCode };
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}
