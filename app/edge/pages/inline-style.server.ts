/** Reads a file of `public/`; undefined where there is none. */
export type ReadAsset = (path: string) => Promise<string | undefined>;

/** The link to a page's stylesheet as React writes it. */
const LINK = /<link rel="stylesheet" href="([^"]+)"\/>/;

/**
 * Puts a page's stylesheet into the page, so that it is painted after one request.
 * @returns the page, and the text of its style element for the policy; the page as it was where the file is missing
 */
export async function withInlineStyle(html: string, read: ReadAsset): Promise<{ html: string; style?: string }> {
  const [link, path] = LINK.exec(html) ?? [];
  if (link === undefined || path === undefined) return { html };
  const style = await read(path);
  if (style === undefined || style.includes("</")) return { html };
  return { html: html.replace(link, () => `<style>${style}</style>`), style };
}

/** Cloudflare's binding of the static files. */
export interface Assets {
  fetch(address: string): Promise<Response>;
}

/** Reads through the binding; what has been read stays in memory: the stylesheets, of which a release has a handful. */
export function assetReader(assets: Assets): ReadAsset {
  const read = new Map<string, string>();
  return async (path) => {
    const known = read.get(path);
    if (known !== undefined) return known;
    // The binding looks at the path alone.
    const response = await assets.fetch(`https://assets.local${path}`);
    if (!response.ok) return undefined;
    const text = await response.text();
    read.set(path, text);
    return text;
  };
}
