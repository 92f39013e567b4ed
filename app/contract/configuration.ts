import * as z from "zod/mini";

/** A setting that is missing or wrong; the problem never contains its value. */
export type ConfigurationProblem = { name: string; problem: string };

export type ConfigurationResult<Configuration> =
  | { status: "valid"; configuration: Configuration }
  | { status: "invalid"; problems: ConfigurationProblem[] };

/** Whether a URL leads to this machine: localhost, a name below it, 127.0.0.0/8 or [::1]. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}

/** The same of a URL's host name: https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
export function isLoopbackHost(hostname: string): boolean {
  return /(^|\.)localhost$/.test(hostname) || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** An https URL, or http on this machine, without credentials. */
export const serviceUrl = z.string().check(
  z.refine((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    const isAllowed = protocol === "https:" || (protocol === "http:" && isLoopback(value));
    return isAllowed && username === "" && password === "";
  }, "must be an https URL without credentials (http only on this machine)"),
);

/** The settings that a schema refused, each with the first problem found. */
export function problemsOf({ issues }: z.core.$ZodError): ConfigurationProblem[] {
  const problems = new Map<string, string>();
  for (const { path, code, message } of issues) {
    const name = String(path[0]);
    if (!problems.has(name)) problems.set(name, code === "invalid_type" ? "is missing" : message);
  }
  return [...problems].map(([name, problem]) => ({ name, problem }));
}
