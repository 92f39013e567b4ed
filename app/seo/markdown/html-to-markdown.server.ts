import { MarkdownWriter } from "./markdown-writer.server";

const SKIPPED_ELEMENTS = new Set(["nav", "script", "style", "svg"]);

/** Converts the `<main>`, without navigation, pictures, form controls, hidden elements and `data-markdown="skip"`. */
export async function htmlToMarkdown(page: Response): Promise<{ markdown: string; canonical: string }> {
  const writer = new MarkdownWriter();
  const head = { title: "", description: "", canonical: "" };
  let skippedDepth = 0;
  let text = "";
  const rewriter = new HTMLRewriter()
    .on("head > title", {
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
        if (name === "br") return skippedDepth === 0 ? writer.lineBreak() : undefined;
        if (name === "img" || name === "hr" || name === "input") return;
        const isButton = element.getAttribute("class")?.startsWith("btn ") === true;
        const link = name === "a" ? absoluteUrl(attribute(element, "href"), head.canonical) : null;
        if (skippedDepth > 0 || isButton || isSkipped(element)) {
          if (skippedDepth === 0 && link?.startsWith("mailto:")) writer.text(link.replace(/^mailto:|\?.*$/g, ""));
          skippedDepth++;
          element.onEndTag(() => void skippedDepth--);
          return;
        }
        element.onEndTag(writer.open(name, link));
      },
    })
    .on("main", {
      text(chunk) {
        text += chunk.text;
        if (!chunk.lastInTextNode) return;
        if (skippedDepth === 0) writer.text(decode(text));
        text = "";
      },
    });
  await rewriter.transform(page).arrayBuffer();
  const { title, description, canonical } = head;
  const frontMatter = Object.entries({ title: decode(title), description, url: canonical })
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return { markdown: `---\n${frontMatter.join("\n")}\n---\n\n${writer}`, canonical };
}

function isSkipped(element: RewriterElement): boolean {
  return (
    SKIPPED_ELEMENTS.has(element.tagName) ||
    element.getAttribute("aria-hidden") === "true" ||
    element.getAttribute("data-markdown") === "skip"
  );
}

function attribute(element: RewriterElement, name: string): string {
  return decode(element.getAttribute(name) ?? "");
}

function absoluteUrl(href: string, base: string): string {
  return URL.canParse(href, base) ? new URL(href, base).href : href;
}

const REACT_ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

function decode(html: string): string {
  return html.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => REACT_ENTITIES[name] ?? "");
}
