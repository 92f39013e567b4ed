/** User agents by purpose, as their operators document them. */
const crawlers = {
  "Search: crawlers behind the answers and results that link to sites": [
    "Googlebot",
    "Bingbot",
    "Applebot",
    "DuckDuckBot",
    "OAI-SearchBot",
    "Claude-SearchBot",
    "PerplexityBot",
    "Amazonbot",
    "meta-webindexer",
  ],
  "User fetch: a person asked an assistant about this site": [
    "ChatGPT-User",
    "Claude-User",
    "Perplexity-User",
    "DuckAssistBot",
    "MistralAI-User",
    "Google-NotebookLM",
    "meta-externalfetcher",
  ],
  "Training: models that know the product can name it": [
    "GPTBot",
    "ClaudeBot",
    "Google-Extended",
    "Applebot-Extended",
    "meta-externalagent",
    "CCBot",
    "Bytespider",
  ],
};

/** Crawlers may fetch the sign-up, so that they see its `noindex`. */
const RULES = "Allow: /";

/** RFC 9309. A crawler obeys only the most specific group that matches it, so every group repeats the rules. */
export function robotsTxt(siteUrl: string): string {
  const groups = Object.entries(crawlers).map(
    ([purpose, names]) => `# ${purpose}\n${names.map((name) => `User-agent: ${name}`).join("\n")}\n${RULES}\n`,
  );
  return [...groups, `# Everyone else\nUser-agent: *\n${RULES}\n`, `Sitemap: ${siteUrl}/sitemap.xml\n`].join("\n");
}
