import { once } from "node:events";
import { join } from "node:path";
import { diskSentence, ToolError } from "../failures";
import { root, wrangler } from "../wrangler/wrangler";
import { isStopping, launch } from "./processes";
import { damagedSentence, saysDamaged } from "./worker-lines";

/** Runs a command to its end; with `isVerbose`, shows its output. Throws a ToolError with the output when it fails. */
export async function step(command: string, args: string[], isVerbose: boolean): Promise<void> {
  const lines: string[] = [];
  const child = launch(command, args, (line) => {
    lines.push(line);
    if (isVerbose) console.log(line);
  });
  const [code] = await once(child, "close");
  if (isStopping()) await new Promise(() => {});
  if (code !== 0)
    throw new ToolError(diskSentence(lines.join("\n")) ?? `${lines.join("\n")}\n${command} ${args.join(" ")} failed.`);
}

/** Applies new migrations to the local database in the folder `state`. */
export async function migrate(state: string, isVerbose: boolean): Promise<void> {
  const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", state];
  await step(process.execPath, [wrangler, ...args, "--cwd", "functions/subscription-api", "--env="], isVerbose).catch(
    (error: Error) => {
      throw saysDamaged(error.message) ? new ToolError(damagedSentence(state)) : error;
    },
  );
}

/** Bundles a Worker as `npm run build` does, for development: React's warnings, and messages of errors in the log. */
export async function bundle(name: string, folder: string): Promise<void> {
  const args = ["deploy", "--dry-run", "--cwd", folder, "--outdir", join(root, "build", name)];
  if (name !== "stripe-simulator") args.push("--env=");
  args.push("--define", 'process.env.NODE_ENV:"development"');
  await step(process.execPath, [wrangler, ...args], false);
}
