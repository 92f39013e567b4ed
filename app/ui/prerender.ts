/**
 * Speculation rules (https://wicg.github.io/nav-speculation/speculation-rules.html): a browser that can renders a page
 * in the background as soon as a link to it looks like being followed. Data, not a script; stands under its hash in the
 * policy. The sign-up is a visitor's own and Markdown is no page.
 */
export const prerenderRules = JSON.stringify({
  prerender: [
    {
      where: { and: [{ href_matches: "/*" }, { not: { href_matches: ["/subscription*", "/*.md", "/*.txt"] } }] },
      eagerness: "moderate",
    },
  ],
});
