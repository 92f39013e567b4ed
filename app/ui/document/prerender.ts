/**
 * Browsers prerender a page when a visitor is about to follow its link, except the sign-up, which holds personal data:
 * https://wicg.github.io/nav-speculation/speculation-rules.html
 */
export const prerenderRules = JSON.stringify({
  prerender: [
    {
      where: {
        and: [{ href_matches: "/*" }, { not: { href_matches: ["/subscription*", "/*.md", "/*.txt", "/example/*"] } }],
      },
      eagerness: "moderate",
    },
  ],
});
