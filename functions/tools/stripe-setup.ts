import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { byHand } from "./stripe-setup/by-hand";
import { sentenceOf } from "./stripe-setup/failures";
import type { Line } from "./stripe-setup/line";
import { setUpStripe } from "./stripe-setup/set-up";
import { targetOf } from "./stripe-setup/target";

// npm run stripe:setup: the local simulator; --production and --sandbox with STRIPE_SECRET_KEY. --check changes nothing.

const SIGNS: Record<Line["mark"], string> = { ok: "✓", changed: "+", differs: "✗", failed: "✗", untested: "?" };

async function main(args: string[]): Promise<boolean> {
  const flag = { type: "boolean", default: false } as const;
  const options = { production: flag, sandbox: flag, check: flag, url: { type: "string" } } as const;
  const { values } = parseArgs({ args, options });
  const place = values.production ? "production" : values.sandbox ? "sandbox" : "local";
  const mode = values.check ? "check" : "set-up";
  const marks = new Set<Line["mark"]>();
  await setUpStripe(targetOf(place, process.env, values.url), mode, ({ mark, text }) => {
    marks.add(mark);
    console.log(`${SIGNS[mark]} ${text}`);
  });
  if (mode === "set-up" && (marks.has("ok") || marks.has("changed"))) console.log(byHand(place));
  return !marks.has("failed") && (mode === "set-up" || !marks.has("differs"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (!(await main(process.argv.slice(2)))) process.exitCode = 1;
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}
