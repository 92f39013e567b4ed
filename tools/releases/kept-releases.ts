import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import * as z from "zod";
import { causeOf } from "../failures";
import { root } from "../wrangler/wrangler";

// An open page still loads its own release's files after the next deployment, so a build keeps the files of two earlier releases.

const KEPT_RELEASES = 3;
const WITHIN_MS = 20_000;
const LIST = "releases.json";
const KEPT = join(root, ".releases");

const fileName = z.string().regex(/^(?!.*\.\.)(?:[\w$.[\]-]+\/)?[\w$.[\]-]+$/);
const releaseList = z.object({ releases: z.array(z.object({ version: z.string(), files: z.array(fileName) })) });

/** Parses public/releases.json: the releases, newest first. `version` is from Remix's manifest. Throws if the text is invalid. */
export function parseReleases(text: string) {
  return releaseList.parse(JSON.parse(text)).releases;
}

/** Adds the files of earlier releases to Remix's build, and keeps the build's files for later ones. @param built public/build */
export async function keepRelease(built: string, kept: string = KEPT): Promise<void> {
  const entries = (await readdir(built, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => relative(built, join(parentPath, name)).replaceAll("\\", "/"));
  const version = files.map((file) => /^manifest-(\w+)\.js$/.exec(file)?.[1]).find((found) => found !== undefined);
  if (version === undefined) throw new Error("remix build wrote no manifest");
  const list = await readFile(join(kept, LIST), "utf8").catch(() => '{"releases":[]}');
  const isWhole = (release: { files: string[] }) => release.files.every((file) => existsSync(join(kept, file)));
  const earlier = parseReleases(list).filter((release) => release.version !== version && isWhole(release));
  const releases = [{ version, files: files.sort() }, ...earlier].slice(0, KEPT_RELEASES);
  for (const file of releases.flatMap((release) => release.files)) {
    if (!files.includes(file)) await cp(join(kept, file), join(built, file));
  }
  await rm(kept, { recursive: true, force: true });
  await cp(built, kept, { recursive: true });
  for (const folder of [kept, join(built, "..")]) await writeFile(join(folder, LIST), JSON.stringify({ releases }));
}

/** Replaces the local kept releases with the live site's, if it answers. Returns a sentence about the result. */
export async function takeLiveReleases(siteUrl: string): Promise<string> {
  const get = async (path: string) => {
    const response = await fetch(siteUrl + path, { redirect: "error", signal: AbortSignal.timeout(WITHIN_MS) });
    if (!response.ok) throw new Error(`it answered ${response.status} for ${path}`);
    return Buffer.from(await response.arrayBuffer());
  };
  try {
    const list = await get(`/${LIST}`);
    const names = new Set(parseReleases(list.toString()).flatMap(({ files }) => files));
    const files = await Promise.all([...names].map(async (file) => [file, await get(`/build/${file}`)] as const));
    await rm(KEPT, { recursive: true, force: true });
    for (const [file, content] of [...files, [LIST, list] as const]) {
      await mkdir(dirname(join(KEPT, file)), { recursive: true });
      await writeFile(join(KEPT, file), content);
    }
    return "Keeping the files of the live releases.";
  } catch (error) {
    return `The live site's releases cannot be read (${causeOf(error)}): keeping this machine's releases.`;
  }
}
