import { parseReleases, storeReleases } from "./kept-releases";

const WITHIN_MS = 20_000;

/** Replaces the releases kept here by the live site's, if it answers. Returns a sentence about the result. */
export async function takeLiveReleases(siteUrl: string): Promise<string> {
  try {
    const list = await get(`${siteUrl}/releases.json`);
    if (list.status === 404) return "The live site has no list of releases yet.";
    if (!list.ok) throw new Error(`it answered ${list.status}`);
    const releases = parseReleases(await list.text());
    await storeReleases(releases, async (file) => {
      const response = await get(`${siteUrl}/build/${file}`);
      if (!response.ok) throw new Error(`it answered ${response.status} for /build/${file}`);
      return new Uint8Array(await response.arrayBuffer());
    });
    return `The files of ${releases.length} live releases are kept.`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The live site's releases cannot be read (${reason}): this machine's releases are kept.`;
  }
}

function get(url: string): Promise<Response> {
  return fetch(url, { redirect: "error", signal: AbortSignal.timeout(WITHIN_MS) });
}
