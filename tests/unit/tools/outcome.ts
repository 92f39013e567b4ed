import { vi } from "vitest";
import { type Command, exitCodeOf } from "../../../tools/failures";

/** Runs a command as its script does. @returns its exit code and the lines that it prints */
export async function outcomeOf(command: Command) {
  const lines: string[] = [];
  const print = (text: unknown) => void lines.push(...String(text).split("\n"));
  for (const name of ["log", "error"] as const) vi.spyOn(console, name).mockImplementation(print);
  const exitCode = await exitCodeOf(command);
  return { exitCode, lines, output: lines.join("\n"), last: lines.at(-1) ?? "" };
}
