import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/* What docs/security/asvs.md says that the code has not, or only where somebody has looked at it. */

const root = fileURLToPath(new URL("../../..", import.meta.url));
const code = ["app", "functions/subscription-api"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  )
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

test.each<[what: string, pattern: RegExp, where: string[]]>([
  ["code made of text (1.3.2)", /\beval\(|new Function\b/, []],
  ["regular expressions made of values (1.2.9)", /new RegExp\(/, []],
  ["listening to messages (3.5.5)", /["']message["']\s*,|onmessage/, []],
  ["browser storage (14.3.3)", /\b(localStorage|sessionStorage|indexedDB)\b/, []],
  ["weak hashes (11.4.1)", /\b(md5|sha-?1)\b/i, []],
  [
    "HTML that is not escaped, all of it constant (3.2.2)",
    /dangerouslySetInnerHTML|\braw\(/,
    [
      "app/root.tsx",
      "app/signup/form/country-list.tsx",
      "app/ui/document/inline-stylesheet.tsx",
      "functions/subscription-api/http/html-page.ts",
      "functions/subscription-api/outbox/emails/email-layout.ts",
    ],
  ],
  [
    "random numbers that can be guessed, for the pause before something is tried again (11.5.1)",
    /Math\.random\(/,
    ["functions/subscription-api/database.ts", "functions/subscription-api/outbox/outbox.ts"],
  ],
])("%s is used in the listed files only", (_what, pattern, where) => {
  expect(code.length).toBeGreaterThan(100);
  const found = code.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  expect(found.sort()).toEqual(where);
});
