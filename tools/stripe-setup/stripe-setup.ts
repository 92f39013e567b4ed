import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runTool, ToolError } from "../failures";
import { scriptCommand } from "../wrangler/wrangler";
import { setUpStripe } from "./set-up";
import { type Line, targetOf } from "./target";

// npm run stripe:setup: the local simulator; --production, --staging and --sandbox with STRIPE_SECRET_KEY. --check changes nothing.

const SIGNS: Record<Line["mark"], string> = { ok: "✓", changed: "+", differs: "✗", failed: "✗", untested: "?" };

async function main(args: string[]): Promise<boolean> {
  const flag = { type: "boolean", default: false } as const;
  const options = { production: flag, staging: flag, sandbox: flag, check: flag, url: { type: "string" } } as const;
  const { values } = parseArgs({ args, options });
  const chosen = (["production", "staging", "sandbox"] as const).filter((name) => values[name]);
  if (chosen.length > 1) throw new ToolError(`Choose one of --${chosen.join(" and --")}.`);
  const place = chosen[0] ?? "local";
  const marks = new Set<Line["mark"]>();
  await setUpStripe(targetOf(place, process.env, values.url), values.check ? "check" : "set-up", ({ mark, text }) => {
    marks.add(mark);
    console.log(`${SIGNS[mark]} ${text}`);
  });
  if (!values.check && place !== "local" && !marks.has("failed")) {
    console.log('No API reaches the emails and Radar: docs/operations.md, "Stripe".');
    if (place !== "sandbox")
      console.log(`Then give the API's packages these prices: ${scriptCommand("catalog", place)}`);
  }
  return !marks.has("failed") && !(values.check && marks.has("differs"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runTool(() => main(process.argv.slice(2)));
