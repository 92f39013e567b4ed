import { API_FOLDER, type Folder, type Stage, wranglerCommand } from "./wrangler";

/** Why Wrangler failed: for every command (`account`) or this one. */
export type Failure = { kind: "account" | "no-worker" | "no-database" | "no-table" | "other"; sentence: string };

type Place = { stage: Stage; folder: Folder };

/** By the messages of Wrangler and the codes of Cloudflare's API. The first match counts. */
const FAILURES: [said: RegExp, kind: Failure["kind"], sentence: (place: Place) => string][] = [
  [
    /necessary to set a CLOUDFLARE_API_TOKEN|not authenticated|not logged in|must be logged in/i,
    "account",
    () => "Wrangler is not logged in: run npx wrangler login, or set the variable CLOUDFLARE_API_TOKEN.",
  ],
  [
    /\[code: (?:9106|9109|10000|10001|6003|6111)\]|Authentication (?:error|failed)|Invalid access token/i,
    "account",
    () =>
      "Cloudflare refuses the login: run npx wrangler login again, or set CLOUDFLARE_API_TOKEN to a token that may edit Workers, D1 and the zone's routes.",
  ],
  [
    /More than one account|Failed to automatically retrieve account/i,
    "account",
    () => "It is not clear which account is meant: set CLOUDFLARE_ACCOUNT_ID to one that npx wrangler whoami lists.",
  ],
  [
    /\[code: 7003\]|object identifier is invalid/i,
    "account",
    () => "Cloudflare knows no such account: set CLOUDFLARE_ACCOUNT_ID to one that npx wrangler whoami lists.",
  ],
  [
    /\[code: 10063\]|workers\.dev subdomain/i,
    "account",
    () =>
      "The account has no workers.dev subdomain yet, without which it can have no Worker: open https://dash.cloudflare.com/?to=/:account/workers/onboarding once, then run this again.",
  ],
  [
    /fetch failed|connectivity issue|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|request .* timed out/i,
    "account",
    () =>
      "Cloudflare cannot be reached: look at the network, a proxy and https://www.cloudflarestatus.com, then run this again.",
  ],
  [
    /\[code: (?:10007|10090|10092)\]|does not exist on (?:your|this) account|Worker "[^"]+"[^\n]* not found/i,
    "no-worker",
    () => "There is no such Worker yet: setting its first secret makes it.",
  ],
  [
    /\[code: (?:7404|7400|7501)\]|Couldn't find (?:a D1 )?DB|must have a valid `(?:database_)?id`|database .*(?:not found|could not be found)/i,
    "no-database",
    ({ stage }) => `The account has no database with this database_id: ${databaseId(stage, "to be made")}`,
  ],
  [/no such table/i, "no-table", () => "The database has no tables yet."],
];

export function failureIn(output: string, place: Place): Failure {
  for (const [said, kind, sentence] of FAILURES) if (said.test(output)) return { kind, sentence: sentence(place) };
  const [, error = output] = /\[ERROR\]\s*([\s\S]*)/.exec(output) ?? [];
  const paragraph = error.split(/\n\s*(?:\n|If you think|🪵)/)[0] ?? "";
  return { kind: "other", sentence: `Wrangler says: ${paragraph.replace(/\s+/g, " ").trim() || "nothing"}` };
}

/** The failed migration and all its errors; undefined if Wrangler failed before running one. */
export function failedMigration(output: string): { name: string; errors: string } | undefined {
  const [, name, text = ""] = /Migration (\S+) failed with the following errors:([\s\S]*)/.exec(output) ?? [];
  if (name === undefined) return undefined;
  const [errors = ""] = text.replace(/^.*\[ERROR\]/gm, "").split(/If you think|🪵/);
  return {
    name,
    errors: errors
      .replace(/\s+/g, " ")
      .trim()
      .replace(/^Error: /, ""),
  };
}

export function databaseId(stage: Stage, which: "to be made" | "there"): string {
  const name = `citewell-subscriptions${stage === "staging" ? "-staging" : ""}`;
  const command = which === "there" ? "d1 list" : `d1 create ${name}`;
  const shown = wranglerCommand(command, stage, API_FOLDER);
  return `put into [[env.${stage}.d1_databases]] of ${API_FOLDER}/wrangler.toml the id that this prints: ${shown}`;
}

/** Intended: local settings that no stage has, and required secrets. */
const EXPECTED = [
  /"secrets" fields are experimental/,
  /"vars\.\w+" exists at the top level, but not on "env\.\w+\.vars"/,
  /This is not what you probably want, since "vars" configuration is not inherited by environments/,
  /Please add "vars\.\w+" to "env\.\w+"/,
];
const HEADING = /Processing .*wrangler\.toml configuration:|^\s*- "env\.\w+" environment configuration$|^\s*$/;

export function unexpectedWarnings(output: string): string[] {
  return output
    .split(/^.*\[(?=WARNING|ERROR)/m)
    .filter((part) => part.startsWith("WARNING]"))
    .map((part) => {
      const lines = part.replace("WARNING]", "").split("\n");
      const kept = lines.filter((line) => !EXPECTED.some((expected) => expected.test(line)));
      return kept.every((line) => HEADING.test(line)) ? "" : kept.map((line) => line.trim()).join(" ");
    })
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => text !== "");
}
