/** The runtime's streaming HTML parser, as far as it is used here (https://developers.cloudflare.com/workers/runtime-apis/html-rewriter/). */
declare class HTMLRewriter {
  on(
    selector: string,
    handlers: { element?: (element: RewriterElement) => void; text?: (chunk: RewriterText) => void },
  ): this;
  transform(response: Response): Response;
}

interface RewriterElement {
  tagName: string;
  getAttribute(name: string): string | null;
  /** Throws for an element that has no end tag. */
  onEndTag(handler: () => void): void;
}

/** A piece of a text node, with its character references as they stand in the source. */
interface RewriterText {
  text: string;
  lastInTextNode: boolean;
}
