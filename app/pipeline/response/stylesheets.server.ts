export interface Assets {
  fetch(url: string): Promise<Response>;
}

/** The text of the stylesheet at a path; undefined if it cannot be read or is not safe to inline. */
export type ReadStylesheet = (path: string) => Promise<string | undefined>;

export function stylesheetReader(assets: Assets): ReadStylesheet {
  const texts = new Map<string, string>();
  return async (path) => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const response = await assets.fetch(`https://assets.local${path}`);
    const text = response.ok ? await response.text() : "</";
    if (text.includes("</")) return undefined;
    texts.set(path, text);
    return text;
  };
}
