export type ReadAsset = (path: string) => Promise<string | undefined>;

const STYLESHEET_LINK = /<link rel="stylesheet" href="([^"]+)"\/>/;

/** Puts the stylesheet into the page, which then paints after one request. `style` is its text, for the policy's hash. */
export async function withInlineStyle(html: string, read: ReadAsset): Promise<{ html: string; style?: string }> {
  const [link, path] = STYLESHEET_LINK.exec(html) ?? [];
  if (link === undefined || path === undefined) return { html };
  const style = await read(path);
  if (style === undefined || style.includes("</")) return { html };
  return { html: html.replace(link, () => `<style>${style}</style>`), style };
}

export interface Assets {
  fetch(url: string): Promise<Response>;
}

export function assetReader(assets: Assets): ReadAsset {
  const texts = new Map<string, string>();
  return async (path) => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    // The binding ignores the host.
    const response = await assets.fetch(`https://assets.local${path}`);
    if (!response.ok) return undefined;
    const text = await response.text();
    texts.set(path, text);
    return text;
  };
}
