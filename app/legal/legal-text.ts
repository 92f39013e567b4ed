import type { MDXProps } from "mdx/types";
import type { ComponentType } from "react";

export interface LegalAttributes {
  title: string;
  /** ISO date. */
  updated: string;
}

export interface Section {
  value: string;
  id: string;
}

export interface LegalText extends LegalAttributes {
  path: "/privacy" | "/terms" | "/security";
  sections: Section[];
  Content: ComponentType<MDXProps>;
}
