import * as z from "zod";
import { parseJson } from "../../app/shared/http/parse-json";
import { sourceFrame } from "./source-frames";

const logged = z.object({
  level: z.string().optional(),
  event: z.string(),
  method: z.string().default(""),
  route: z.string().default(""),
  path: z.string().optional(),
  status: z.number().default(0),
});
const failure = z.looseObject({ stack: z.array(z.string()) });

/** Undefined for a line not to show. @param isDevelopment shows a developer's own lines too, such as `console.log`'s */
export function shownOf(line: string, isDevelopment = false): string | undefined {
  const { data } = logged.safeParse(parseJson(line));
  if (!data) return isDevelopment || /✘|\[ERROR\]/.test(line) ? withSourceFrame(line) : undefined;
  const { level, event, method, route, path, status } = data;
  if (event === "request") return status >= 400 ? `${method} ${path ?? route} ${status}` : undefined;
  return level === "info" ? undefined : withSourceFrames(line);
}

function withSourceFrames(line: string): string {
  const { data } = failure.safeParse(parseJson(line));
  if (!data) return line;
  const { stack, ...fields } = data;
  return [JSON.stringify(fields), ...stack.map((frame) => `    ${sourceFrame(frame)}`)].join("\n");
}

const withSourceFrame = (line: string) => line.replace(/(?<=^\s+)at .+/, sourceFrame);

// The error that ended workerd while it loaded the Workers' modules, or "". workerd names the Worker, then writes each
// frame as `at {file}:{line}:{column} in {function}`.
export function loadErrorIn(lines: readonly string[], bundleOf: (worker: string) => string): string {
  let bundle = "";
  const shown = lines.map((line) => {
    const [, worker, error = ""] = /^service core:user:(\S+): (.*)/.exec(line) ?? [];
    if (worker !== undefined) {
      bundle = bundleOf(worker);
      return `${worker}: ${error}`;
    }
    const [, place, name] = /^\s+at [^/\s]+?(:\d+:\d+)(?: in (.+))?$/.exec(line) ?? [];
    if (place === undefined) return line;
    return `    ${sourceFrame(name ? `at ${name} (${bundle}${place})` : `at ${bundle}${place}`)}`;
  });
  return shown.join("\n");
}
