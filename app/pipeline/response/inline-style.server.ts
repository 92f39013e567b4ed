export type ReadAsset = (path: string) => Promise<string | undefined>;

const STYLE_ELEMENT = /<style data-href="([^"]+)"><\/style>/;

/**
 * Inlines the stylesheet, so that the page paints after one request; links it if it cannot be read. `style` is the inlined
 * text, for the policy's hash.
 */
export async function withInlineStyle(html: string, read: ReadAsset): Promise<{ html: string; style?: string }> {
  const found = STYLE_ELEMENT.exec(html);
  const path = found?.[1];
  if (!found || path === undefined) return { html };
  const before = html.slice(0, found.index);
  const after = html.slice(found.index + found[0].length);
  const style = await read(path);
  if (style === undefined || style.includes("</"))
    return { html: `${before}<link rel="stylesheet" href="${path}"/>${after}` };
  return { html: `${before}<style data-href="${path}">${style}</style>${after}`, style };
}

export interface Assets {
  fetch(url: string): Promise<Response>;
}

/** Reads text files of the assets binding by path, each once. Undefined for a file that cannot be read. */
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
