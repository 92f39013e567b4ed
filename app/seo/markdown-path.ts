/** `/pricing.md` for `/pricing`, `/index.md` for `/`. */
export function markdownPath(path: string): string {
  return path === "/" ? "/index.md" : `${path}.md`;
}

export function pageOfMarkdown(path: string): string | undefined {
  if (path === "/index.md") return "/";
  return path.endsWith(".md") ? path.slice(0, -".md".length) : undefined;
}
