interface DrawnProps {
  words: string;
  /** The element that shows them. */
  as?: "span" | "mark";
  className?: string;
}

/**
 * Words of a drawing. They are painted by the stylesheet and no text of the page: text browsers, search engines and
 * assistants read what a drawing illustrates, not the drawing.
 */
export function Drawn({ words, as: Element = "span", className }: DrawnProps) {
  return <Element data-words={words} className={className} />;
}
