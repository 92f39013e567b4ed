/**
 * https://wicg.github.io/nav-speculation/speculation-rules.html: browsers prerender a page when a visitor is about to
 * follow its link. The sign-up is excluded because it carries visitor data.
 */
export const prerenderRules = JSON.stringify({
  prerender: [
    {
      where: { and: [{ href_matches: "/*" }, { not: { href_matches: ["/subscription*", "/*.md", "/*.txt"] } }] },
      eagerness: "moderate",
    },
  ],
});
