/** Why Wrangler failed: for every command (`account`) or only this one. */
export type Failure = { kind: "account" | "no-worker" | "no-table" | "other"; sentence: string };

/** By the messages of Wrangler and the codes of Cloudflare's API. The first match counts. */
const FAILURES: [said: RegExp, kind: Failure["kind"], sentence: string][] = [
  [
    /necessary to set a CLOUDFLARE_API_TOKEN|not authenticated|not logged in|must be logged in/i,
    "account",
    "Wrangler is not logged in: run npx wrangler login, or set the variable CLOUDFLARE_API_TOKEN.",
  ],
  [
    /\[code: (?:9106|9109|10000|10001|6003|6111)\]|Authentication (?:error|failed)|Invalid access token/i,
    "account",
    "Cloudflare refuses the login: run npx wrangler login again, or set CLOUDFLARE_API_TOKEN to a token that may edit Workers, D1 and the zone's routes.",
  ],
  [
    /More than one account|Failed to automatically retrieve account|\[code: 7003\]|object identifier is invalid/i,
    "account",
    "It is not clear which account is meant: set CLOUDFLARE_ACCOUNT_ID to one that npx wrangler whoami lists.",
  ],
  [
    /\[code: 10063\]|workers\.dev subdomain/i,
    "account",
    "The account has no workers.dev subdomain yet, without which it can have no Worker: open https://dash.cloudflare.com/?to=/:account/workers/onboarding once, then run this again.",
  ],
  [
    /fetch failed|connectivity issue|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|request .* timed out/i,
    "account",
    "Cloudflare cannot be reached: look at the network, a proxy and https://www.cloudflarestatus.com, then run this again.",
  ],
  [
    /\[code: (?:10007|10090|10092)\]|does not exist on (?:your|this) account|Worker "[^"]+"[^\n]* not found/i,
    "no-worker",
    "There is no such Worker yet: setting its first secret makes it.",
  ],
  [/no such table/i, "no-table", "The database has no tables yet."],
];

/** @param output both streams of a command that failed */
export function failureIn(output: string): Failure {
  for (const [said, kind, sentence] of FAILURES) if (said.test(output)) return { kind, sentence };
  return { kind: "other", sentence: `Wrangler says: ${errorIn(output) || "nothing"}` };
}

/** The failed migration and its errors; undefined if Wrangler failed before running one. */
export function failedMigration(output: string): { name: string; errors: string } | undefined {
  const [, name, text = ""] = /Migration (\S+) failed with the following errors:([\s\S]*)/.exec(output) ?? [];
  return name === undefined ? undefined : { name, errors: errorIn(text) };
}

function errorIn(output: string): string {
  const [, error = output] = /\[ERROR\]\s*([\s\S]*)/.exec(output) ?? [];
  const paragraph = error.split(/\n\s*(?:\n|If you think|🪵)/)[0] ?? "";
  return paragraph.replace(/\s+/g, " ").trim();
}
