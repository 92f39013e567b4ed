/** The platforms that each plan tracks: the one list behind home, pricing, the questions and llms.txt. */
const searchEngines = ["ChatGPT", "Perplexity"];

export const platforms = {
  mini: searchEngines,
  lite: searchEngines,
  standard: [...searchEngines, "Google AI Overviews"],
  enterprise: [
    "ChatGPT",
    "Perplexity",
    "Claude",
    "Google AI Overviews",
    "Google AI Mode",
    "Gemini",
    "Microsoft Copilot",
    "Grok",
  ],
};

/** Not part of any plan. */
export const onRequest = "DeepSeek tracking is available on request.";

/** Platforms that `to` tracks and `plan` does not, for example `Claude, Gemini and Grok`. */
export function platformsAdded(plan: keyof typeof platforms, to: keyof typeof platforms): string {
  const added = platforms[plan].filter((platform) => !platforms[to].includes(platform));
  return added.join(", ").replace(/, ([^,]+)$/, " and $1");
}
