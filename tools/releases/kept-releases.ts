import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

// An open page loads files of its own release after the next deployment, so each build keeps the files of earlier ones.

const LEAST_RELEASES = 3;
const LEAST_HOURS = 24;

const fileName = z.string().regex(/^(?!.*\.\.)(?:[\w$.[\]-]+\/)?[\w$.[\]-]+$/);
const release = z.object({ version: z.string(), builtAt: z.iso.datetime(), files: z.array(fileName) });
const releaseList = z.object({ releases: z.array(release) });

/** `version`: the version of Remix's manifest. */
export type Release = z.output<typeof release>;

const root = fileURLToPath(new URL("../..", import.meta.url));
const kept = join(root, ".releases");
const list = join(kept, "releases.json");

export function parseReleases(text: string): Release[] {
  return releaseList.parse(JSON.parse(text)).releases;
}

export async function keptReleases(): Promise<Release[]> {
  const text = await readFile(list, "utf8").catch(() => "");
  try {
    return parseReleases(text).filter(({ files }) => files.every((file) => existsSync(join(kept, file))));
  } catch {
    return [];
  }
}

export function releasesToKeep(newestFirst: Release[], now: Date): Release[] {
  const since = now.getTime() - LEAST_HOURS * 3_600_000;
  return newestFirst.filter((_, index) => {
    const replacedAt = newestFirst[index - 1]?.builtAt;
    return index < LEAST_RELEASES || replacedAt === undefined || Date.parse(replacedAt) >= since;
  });
}

export async function storeReleases(releases: Release[], read: (file: string) => Promise<Uint8Array>): Promise<void> {
  const files = await Promise.all(filesOf(releases).map(async (file) => [file, await read(file)] as const));
  await rm(kept, { recursive: true, force: true });
  for (const [file, content] of files) {
    await mkdir(dirname(join(kept, file)), { recursive: true });
    await writeFile(join(kept, file), content);
  }
  await mkdir(kept, { recursive: true });
  await writeFile(list, JSON.stringify({ releases }));
}

export async function keepRelease(folder: string, version: string, now: Date): Promise<void> {
  const built = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const current = { version, builtAt: now.toISOString(), files: built };
  const earlier = (await keptReleases()).filter((release) => release.version !== version);
  const releases = releasesToKeep([current, ...earlier], now);
  const own = new Set(built);
  await storeReleases(releases, (file) => readFile(join(own.has(file) ? folder : kept, file)));
  for (const file of filesOf(releases)) {
    if (!own.has(file)) await cp(join(kept, file), join(folder, file));
  }
  await cp(list, join(folder, "../releases.json"));
}

function filesOf(releases: Release[]): string[] {
  return [...new Set(releases.flatMap(({ files }) => files))];
}
