import type { MDXProps } from "mdx/types";
import type { ComponentType } from "react";

/** Front matter. */
export interface LegalAttributes {
  title: string;
  /** ISO date. */
  updated: string;
}

/** Sections have depth 2. */
export interface TocEntry {
  value: string;
  depth: number;
  id: string;
  children?: TocEntry[];
}

export interface LegalText extends LegalAttributes {
  path: "/privacy" | "/terms" | "/security";
  sections: TocEntry[];
  Content: ComponentType<MDXProps>;
}
