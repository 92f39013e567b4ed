import { execFileSync } from "node:child_process";
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root";

/** Where the copy is built. */
const folder = join(root, "build/bench/large-catalogue");

const SOURCES = [
  "app",
  "functions",
  "public",
  "package.json",
  "postcss.config.js",
  "remix.config.js",
  "tsconfig.json",
  "wrangler.toml",
];

/**
 * Builds the site with a catalogue of many plans, from a copy of its sources in which only the catalogue is another: the
 * product knows nothing of it.
 * @returns what {@link startSiteWorkerd} takes
 */
export async function buildLargeCatalogue(plans: number): Promise<{ bundle: string; assets: string }> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of SOURCES) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));

  await rename(join(folder, "app/pricing/plans.ts"), join(folder, "app/pricing/four-plans.ts"));
  await writeFile(
    join(folder, "app/pricing/plans.ts"),
    `import { type Plan, plans as fourPlans } from "./four-plans";
export * from "./four-plans";
export function plans(site: Parameters<typeof fourPlans>[0]): Plan[] {
  const four = fourPlans(site);
  const more = Array.from({ length: ${plans} - four.length }, (_, index) => {
    const id = String(index).padStart(12, "0");
    return { ...four[index % 3], packageId: "00000000-0000-4000-8000-" + id, price: index + 1 } as Plan;
  });
  return [...more, ...four];
}
`,
  );
  const options = {
    cwd: folder,
    env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false" },
    stdio: "pipe",
  } as const;
  execFileSync(process.execPath, [join(root, "node_modules/@remix-run/dev/dist/cli.js"), "build"], options);
  execFileSync(
    process.execPath,
    [join(root, "node_modules/wrangler/bin/wrangler.js"), "deploy", "--env=", "--dry-run", "--outdir", "build/site"],
    options,
  );
  return { bundle: join(folder, "build/site/site.js"), assets: join(folder, "public") };
}
