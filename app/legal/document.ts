/** A legal text as data: the page, and whatever else shows it, is made from this. */
export interface LegalDocument {
  title: string;
  description: string;
  /** As the page says it, and as `<time>` wants it. */
  updated: { text: string; date: string };
  intro: string[];
  sections: LegalSection[];
}

export interface LegalSection {
  id: string;
  title: string;
  blocks: LegalBlock[];
}

/** A paragraph, a list, a subheading or an address; texts may hold links as `[words](address)`. */
export type LegalBlock = string | { list: string[] } | { heading: string } | { address: string[] };

export const LAST_UPDATED = { text: "August 14, 2025", date: "2025-08-14" };

/** Cuts a text at its `[words](address)` links. */
export function inlineParts(text: string): { words: string; href?: string }[] {
  return text
    .split(/(\[[^\]]+\]\([^)]+\))/)
    .filter(Boolean)
    .map((part) => {
      const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
      return link?.[1] ? { words: link[1], href: link[2] } : { words: part };
    });
}
