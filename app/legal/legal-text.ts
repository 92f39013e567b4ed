import type { MDXProps } from "mdx/types";
import type { ComponentType } from "react";

/** What a legal text says of itself, in its front matter. */
export interface LegalAttributes {
  title: string;
  description: string;
  /** ISO date. */
  updated: string;
}

/** A heading of the text with those below it; sections are the entries of depth 2. */
export interface TocEntry {
  value: string;
  depth: number;
  id: string;
  children?: TocEntry[];
}

/** A legal text: content to render, and what its page needs to know beside it. */
export interface LegalText extends LegalAttributes {
  path: "/privacy" | "/terms";
  sections: TocEntry[];
  Content: ComponentType<MDXProps>;
}
