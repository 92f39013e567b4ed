/** Where a page stands in Markdown: `/pricing.md`, and `/index.md` for the home page. */
export function markdownPath(path: string): string {
  return path === "/" ? "/index.md" : `${path}.md`;
}

/** The page whose Markdown stands at this path; undefined for a path that is none of Markdown. */
export function pageOfMarkdown(path: string): string | undefined {
  if (path === "/index.md") return "/";
  return path.endsWith(".md") ? path.slice(0, -".md".length) : undefined;
}
