import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCES = [
  ...["app", "functions", "tools", "public", ".releases"],
  ...["package.json", "postcss.config.js", "remix.config.js", "tsconfig.json", "wrangler.toml"],
];

/** Another release, built in a copy of the repository, after `npm run build`. */
export type OtherRelease = {
  folder: string;
  /** Its static files. */
  files: string;
  /** The Worker of the site, under build/; only with `worker`. */
  bundle: string;
  dispose: () => Promise<void>;
};

/**
 * @param changes a text that is in a file, and what comes in its place
 * @param options.worker whether the Worker is built too, not only the browser's files
 */
export async function buildOtherRelease(
  changes: { file: string; from: string; to: string }[],
  { worker = false } = {},
): Promise<OtherRelease> {
  // Below the repository, for its packages.
  const folder = await mkdtemp(join(root, "build/release-"));
  for (const source of SOURCES) await cp(join(root, source), join(folder, source), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  for (const { file, from, to } of changes) {
    const code = await readFile(join(folder, file), "utf8");
    if (!code.includes(from)) throw new Error(`${file} does not have: ${from}`);
    await writeFile(join(folder, file), code.replaceAll(from, to));
  }
  execFileSync("npm", ["run", "--silent", worker ? "build:site" : "build:browser"], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: "pipe",
  });
  return {
    folder,
    files: join(folder, "public"),
    bundle: relative(join(root, "build"), join(folder, "build/site/site.js")),
    dispose: () => rm(folder, { recursive: true }),
  };
}
