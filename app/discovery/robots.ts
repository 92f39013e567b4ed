/** Crawlers of AI services and search engines, by what they fetch for; each as its operator documents it. */
const crawlers = {
  "Search: what they read is what answers and result pages link to": [
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

/** Every crawler may read the public pages; the sign-up is nobody's but the visitor's. */
const RULES = "Allow: /\nDisallow: /subscription";

/** robots.txt (RFC 9309). A crawler obeys only the most specific group, so each group has the rules. */
export function robotsTxt(siteUrl: string): string {
  const groups = Object.entries(crawlers).map(
    ([purpose, names]) => `# ${purpose}\n${names.map((name) => `User-agent: ${name}`).join("\n")}\n${RULES}\n`,
  );
  return [...groups, `# Everyone else\nUser-agent: *\n${RULES}\n`, `Sitemap: ${siteUrl}/sitemap.xml\n`].join("\n");
}
