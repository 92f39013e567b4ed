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

/** How a log line is shown: failed requests, warnings and errors, each with its stack in the source. Undefined for any other line. */
export function shownOf(line: string): string | undefined {
  const { data } = logged.safeParse(parseJson(line));
  if (!data) return /✘|\[ERROR\]/.test(line) ? line : undefined;
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
