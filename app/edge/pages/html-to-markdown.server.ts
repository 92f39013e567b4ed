import { MarkdownWriter } from "./markdown-writer.server";

/** Drawings, and what leads around the content: no part of its text. */
const LEFT_OUT = new Set(["nav", "script", "style", "svg"]);

/**
 * The main part of a rendered page in Markdown, below a front matter of title, description and address. What assistive
 * technology is not told, the Markdown does not tell either.
 * @param page HTML as React writes it
 */
export async function markdownOf(page: Response): Promise<{ markdown: string; canonical: string }> {
  const writer = new MarkdownWriter();
  const head = { title: "", description: "", canonical: "" };
  let leftOut = 0;
  let text = "";
  const rewriter = new HTMLRewriter()
    .on("title", {
      text(chunk) {
        head.title += chunk.text;
      },
    })
    .on('meta[name="description"]', {
      element(meta) {
        head.description = attribute(meta, "content");
      },
    })
    .on('link[rel="canonical"]', {
      element(link) {
        head.canonical = attribute(link, "href");
      },
    })
    .on("main *", {
      element(element) {
        const name = element.tagName;
        if (name === "br") return leftOut === 0 ? writer.lineBreak() : undefined;
        if (name === "img" || name === "hr" || name === "input") return;
        if (leftOut > 0 || LEFT_OUT.has(name) || element.getAttribute("aria-hidden") === "true") {
          leftOut++;
          element.onEndTag(() => void leftOut--);
          return;
        }
        const link = name === "a" ? absolute(attribute(element, "href"), head.canonical) : null;
        element.onEndTag(writer.open(name, link));
      },
    })
    .on("main", {
      text(chunk) {
        text += chunk.text;
        if (!chunk.lastInTextNode) return;
        if (leftOut === 0) writer.text(decoded(text));
        text = "";
      },
    });
  await rewriter.transform(page).arrayBuffer();
  const { title, description, canonical } = head;
  const matter = Object.entries({ title: decoded(title), description, url: canonical })
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return { markdown: `---\n${matter.join("\n")}\n---\n\n${writer}`, canonical };
}

function attribute(element: RewriterElement, name: string): string {
  return decoded(element.getAttribute(name) ?? "");
}

function absolute(href: string, base: string): string {
  return URL.canParse(href, base) ? new URL(href, base).href : href;
}

/** Character references that React writes. */
const REFERENCES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

function decoded(html: string): string {
  return html.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => REFERENCES[name] ?? "");
}
