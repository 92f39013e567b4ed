/** Compiled with the plugins in remix.config.js. */
declare module "*.mdx" {
  export const attributes: import("./legal-text").LegalAttributes;
  export const tableOfContents: import("./legal-text").Section[];
  export default function Text(props: import("mdx/types").MDXProps): import("react").ReactElement;
}
