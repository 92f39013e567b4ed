import type { MDXProps } from "mdx/types";
import type { ComponentType } from "react";

/** Front matter. */
export interface LegalAttributes {
  title: string;
  /** ISO date. */
  updated: string;
}

export interface Section {
  /** Its heading. */
  value: string;
  id: string;
}

export interface LegalText extends LegalAttributes {
  path: "/privacy" | "/terms" | "/security";
  sections: Section[];
  Content: ComponentType<MDXProps>;
}
