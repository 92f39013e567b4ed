import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../tools/wrangler/wrangler";

/** `text` without its indentation. */
export type Block = { file: string; section: string; text: string };

function blocksIn(file: string): Block[] {
  const parts = readFileSync(join(root, file), "utf8").split(/^#+ (.+)$/m);
  return parts.flatMap((text, index) =>
    [...text.matchAll(/^( *)```sh\n(.*?)^ *```/gms)].map(([, indent = "", block = ""]) => ({
      ...{ file, section: parts[index - 1] ?? "", text: block.replaceAll(RegExp(`^${indent}`, "gm"), "") },
    })),
  );
}

const documents = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
/** The shell blocks of README.md and docs/. */
export const blocks = documents.filter((name) => name.endsWith(".md")).flatMap(blocksIn);

/** The sections whose blocks a test file types, in their order. */
export const TYPED = {
  "first-deployment": ["First deployment", "Plans and prices", "Failed messages"],
  releases: ["Updates", "Rolling back"],
  recovery: ["Restoring the database", "Backups", "Rehearsal", "A person's data"],
};

/** Blocks that cannot run here, by their section. */
export const ELSEWHERE: Record<string, string> = {
  "Two commands": "readme.test.ts runs npm start, and npm test would run itself",
  "The site with your own API": "own-api.test.ts runs the whole section, with another API",
};

/** Commands that cannot run here. */
export const LEFT_OUT: Record<string, string> = {
  "npm install": "readme.test.ts runs it; here node_modules is a link to this repository's",
  "npx wrangler login": "opens a browser, in which a person logs in",
  "npm run test:stripe": "asks Stripe itself; the same facts about the simulator are in npm test",
};
