import { parseArgs } from "node:util";
import { ToolError, tell, Usage } from "./failures";

/** The arguments of a script in package.json. npm passes words on to the script, but options only after a `--`. */
type Shape<Target extends string> = {
  script: string;
  targets: readonly Target[];
  word?: string;
  /** Maps each option to the name of its value, or to "" for a switch. */
  options?: Record<string, string>;
  required?: readonly string[];
};

export type CommandLine<Target extends string> = {
  target: Target;
  word: string;
  values: Partial<Record<string, string>>;
  switches: ReadonlySet<string>;
};

/** Throws ToolError with the commands to type, also for an option that npm kept for itself; Usage for `--help`. */
export function readCommandLine<Target extends string>(
  shape: Shape<Target>,
  args: string[] = process.argv.slice(2),
  environment: NodeJS.ProcessEnv = process.env,
): CommandLine<Target> {
  const { script, targets, word, options = {}, required = [] } = shape;
  const refusal = (problem: string, named: readonly string[] = targets, meant?: string) =>
    new ToolError(`${problem} Type:\n${named.map((target) => `  ${usageOf(shape, target, meant)}`).join("\n")}`);
  const { values, positionals } = parse(args, shape, refusal);
  if (values.help === true) throw new Usage(`Usage:\n${targets.map((name) => `  ${usageOf(shape, name)}`).join("\n")}`);
  // npm sets this variable for an option that was typed without a separate `--` before it.
  const isTakenByNpm = (name: string) => environment[`npm_config_${name.replaceAll("-", "_")}`] !== undefined;

  const [first, ...words] = positionals;
  const target = targets.find((name) => name === first);
  const asOption = targets.filter((name) => name !== target && (values[name] !== undefined || isTakenByNpm(name)));
  if (asOption.length > 0) {
    const meant = target ? [target, ...asOption] : asOption;
    throw refusal(`The target is a word without dashes, not --${asOption[0]}.`, meant);
  }
  if (first === undefined) throw refusal(`npm run ${script} needs a target.`);
  if (target === undefined) throw refusal(`npm run ${script} has no target "${first}".`);
  const taken = Object.keys(options).find((name) => values[name] === undefined && isTakenByNpm(name));
  if (taken !== undefined)
    throw refusal(`npm took --${taken} for itself: options come after a separate --.`, [target], taken);
  const missing = required.find((name) => values[name] === undefined);
  if (missing !== undefined) throw refusal(`--${missing} is missing.`, [target]);
  if (word !== undefined && words.length === 0) throw refusal(`The ${word} is missing.`, [target]);
  if (words.length > (word === undefined ? 0 : 1)) throw refusal(`"${words.at(-1)}" is one word too many.`, [target]);

  return { target, word: words[0] ?? "", ...optionsIn(values, options) };
}

export type Options = Pick<CommandLine<never>, "values" | "switches">;

/** Reads `npm run {script} [-- --option …]`. Throws ToolError for a word or unknown option; Usage for `--help`. */
export function readOptions(
  script: string,
  options: Record<string, string> = {},
  args: string[] = process.argv.slice(2),
): Options {
  const { script: typed, rest } = typedAs(script, options);
  const usage = `${typed}${rest}`;
  const { values, positionals } = parse(
    args,
    { targets: [], options },
    (problem) => new ToolError(`${problem} Type: ${usage}`),
  );
  if (values.help === true) throw new Usage(`Usage: ${usage}`);
  if (positionals.length > 0) throw new ToolError(`${typed} takes no "${positionals[0]}". Type: ${usage}`);
  return optionsIn(values, options);
}

/** For a script that runs as it loads: prints what `readOptions` throws, and ends the process. */
export function readOptionsOrExit(script: string, options?: Record<string, string>, args?: string[]): Options {
  try {
    return readOptions(script, options, args);
  } catch (error) {
    process.exit(tell(error));
  }
}

/** npm has short forms for two scripts. */
function typedAs(script: string, options: Record<string, string>) {
  const others = Object.entries(options).map(([name, value]) => `[${optionOf([name, value])}]`);
  const short = script === "start" || script === "test";
  return { script: `npm ${short ? "" : "run "}${script}`, rest: others.length > 0 ? ` -- ${others.join(" ")}` : "" };
}

const optionOf = ([name, value]: [string, string]) => (value === "" ? `--${name}` : `--${name} {${value}}`);

function optionsIn(values: Record<string, unknown>, options: Record<string, string>): Options {
  const given = Object.entries(values).filter(([name]) => name in options);
  return {
    values: Object.fromEntries(given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))),
    switches: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
  };
}

function parse(
  args: string[],
  { targets, options = {} }: Pick<Shape<string>, "targets" | "options">,
  refusal: (problem: string) => ToolError,
): { values: Record<string, unknown>; positionals: string[] } {
  const types = [
    ["help", { type: "boolean", short: "h" }] as const,
    ...targets.map((name) => [name, { type: "boolean" }] as const),
    ...Object.entries(options).map(([name, value]) => [name, { type: value === "" ? "boolean" : "string" }] as const),
  ];
  const { values, positionals, tokens } = parsed();
  const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) throw refusal(`--${doubled} is there twice.`);
  const empty = names.find((name) => values[name] === "");
  if (empty !== undefined) throw refusal(`--${empty} has no value.`);
  return { values, positionals };

  function parsed() {
    try {
      return parseArgs({ args, allowPositionals: true, tokens: true, options: Object.fromEntries(types) });
    } catch (error) {
      if (!(error instanceof TypeError && "code" in error)) throw error;
      const [sentence = ""] = error.message.split(/\. |\.?\n/);
      throw refusal(`${sentence}.`);
    }
  }
}

/** @param meant an option that was typed, which the usage shows */
function usageOf({ script, word, options = {}, required = [] }: Shape<string>, target: string, meant?: string): string {
  const isNeeded = ([name]: [string, string]) => required.includes(name) || name === meant;
  const needed = Object.entries(options).filter(isNeeded).map(optionOf);
  const others = Object.entries(options)
    .filter((option) => !isNeeded(option))
    .map(optionOf);
  const words = ["npm run", script, target, ...(word === undefined ? [] : [`{${word}}`])];
  if (needed.length > 0) return [...words, "--", ...needed, ...others.map((option) => `[${option}]`)].join(" ");
  return [...words, ...(others.length > 0 ? [`[-- ${others.join(" ")}]`] : [])].join(" ");
}
