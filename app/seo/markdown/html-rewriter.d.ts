/** The methods used here: https://developers.cloudflare.com/workers/runtime-apis/html-rewriter/ */
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
  onEndTag(handler: () => void): void;
}

interface RewriterText {
  text: string;
  lastInTextNode: boolean;
}
