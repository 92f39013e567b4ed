interface DecorativeTextProps {
  text: string;
  as?: "span" | "mark";
  className?: string;
}

/** Text of an illustration, painted by CSS so that text browsers, search engines and assistants skip it. */
export function DecorativeText({ text, as: Element = "span", className }: DecorativeTextProps) {
  return <Element data-text={text} className={className} />;
}
