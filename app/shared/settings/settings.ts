import * as z from "zod/mini";

/** A setting that is missing or wrong. The problem never contains the setting's value. */
export type ConfigurationProblem = { name: string; problem: string };

export type ConfigurationResult<Configuration> =
  | { status: "valid"; configuration: Configuration }
  | { status: "invalid"; problems: ConfigurationProblem[] };

/** True if the URL points to this machine: localhost, its subdomains, 127.0.0.0/8 and [::1]. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}

/** `isLoopback` for a host name: https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
export function isLoopbackHost(hostname: string): boolean {
  return /(^|\.)localhost$/.test(hostname) || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

export const ONLY_THIS_MACHINE =
  "These local settings serve this machine only. To serve other devices, start with HOST=0.0.0.0 npm start.";

/** Replaces the host of a loopback URL, so that other devices can open it. Returns any other URL unchanged. */
export function onHost(value: string, hostname: string): string {
  if (!isLoopback(value)) return value;
  const url = new URL(value);
  url.hostname = hostname;
  return url.href.replace(/\/$/, value.endsWith("/") ? "/" : "");
}

export const serviceUrl = z.string().check(
  z.refine((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    const isAllowed = protocol === "https:" || (protocol === "http:" && isLoopback(value));
    return isAllowed && username === "" && password === "";
  }, "must be an https URL without credentials (http only on this machine)"),
);

/** A binding, known by one of its methods. */
export const binding = <Binding>(method: keyof Binding & string, problem = "is missing") =>
  z.custom<Binding>(
    (value) => typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function",
    problem,
  );

export const boolean = z.pipe(
  z.enum(["true", "false"], "must be true or false"),
  z.transform((value) => value === "true"),
);

export const withoutQuery = z.refine<string>((value) => !/[?#]/.test(value), "must have no query and no fragment");

const MIN_SECRET_LENGTH = 32;
/** A repeated word or pattern has fewer; nearly every random string of 32 characters has as many. */
const MIN_DIFFERENT_CHARACTERS = 12;

/** A secret in the given format. Trims the whitespace of a copied line. */
export function secretLike(form: RegExp, error: string) {
  return z.string().check(
    z.trim(),
    z.regex(form, { error, abort: true }),
    z.refine((value) => new Set(value).size >= MIN_DIFFERENT_CHARACTERS, {
      error: `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`,
      abort: true,
    }),
  );
}

export const secret = secretLike(
  new RegExp(`^.{${MIN_SECRET_LENGTH},}$`),
  `must have at least ${MIN_SECRET_LENGTH} characters`,
);

/** During a rotation, a comma separates two secrets: the first seals or signs from now on, and both are accepted. */
export function newAndOld(one: z.ZodMiniType<string, string>) {
  return z.pipe(
    z.pipe(
      z.string(),
      z.transform((value) => value.split(",")),
    ),
    z.array(one).check(z.maxLength(2, "must be one secret, or the new and the old one with a comma between them")),
  );
}

/** True for the name of a secret setting, whose value must never be shown. */
export function isSecretName(name: string): boolean {
  return /_(?:SECRET|TOKEN|KEY)$/.test(name) && !/_(?:PUBLISHABLE|SITE)_KEY$/.test(name);
}

export function withoutEmpty(env: unknown): unknown {
  if (typeof env !== "object" || env === null) return env;
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
}

export function settingProblems({ issues }: z.core.$ZodError): ConfigurationProblem[] {
  const problems = new Map<string, string>();
  for (const { path, code, message } of issues) {
    const name = String(path[0]);
    if (!problems.has(name)) problems.set(name, code === "invalid_type" ? "is missing" : message);
  }
  return [...problems].map(([name, problem]) => ({ name, problem }));
}
