import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { freePort } from "../release/commands/free-port";

/*
 * Starts workerd itself on a port of its own, with nothing in front of it: Miniflare answers through a Worker of its own
 * and a proxy, which would be most of what is measured.
 */

/** A binding of a Worker; `module` names one of the modules given beside the services. */
export type Binding = { text: string } | { json: string } | { service: string } | { module: string };

/** A service of workerd: a Worker, or a folder. */
export type Service =
  | { script: string; bindings?: Record<string, Binding>; compatibilityDate: string }
  | { folder: string };

/** A workerd that runs. */
export interface RunningWorkerd {
  /** Its origin, without a slash at the end. */
  url: string;
  pid: number;
  /** Where its output goes: the Worker's log. */
  logFile: string;
  dispose(): Promise<void>;
}

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const benchFolder = join(root, "build/bench");
/** The package gives the path of its program for this machine. */
const program = z.object({ default: z.string() }).parse(createRequire(import.meta.url)("workerd")).default;
const READY_WITHIN_MS = 20_000;

let started = 0;

/**
 * @param name of its configuration and its log in build/bench
 * @param services by name; the first one listens, all may call whatever is on this machine
 * @param options.modules source texts whose default export makes a binding within the Worker's own isolate
 */
export async function startWorkerd(
  name: string,
  services: Record<string, Service>,
  options: { port?: number; modules?: Record<string, string> } = {},
): Promise<RunningWorkerd> {
  const port = options.port ?? (await freePort());
  started += 1;
  const files = join(benchFolder, `${started}-${name}`);
  await mkdir(files, { recursive: true });
  await writeFile(join(files, "workerd.capnp"), await configurationOf(files, services, options.modules ?? {}, port));
  const logFile = join(files, "log");
  // A file, as a program that collects logs would read it: nothing that the Worker says is left out of its cost.
  const log = await open(logFile, "w");
  const child = spawn(program, ["serve", join(files, "workerd.capnp")], { stdio: ["ignore", log.fd, log.fd] });
  const url = `http://127.0.0.1:${port}`;
  const pid = child.pid ?? 0;
  try {
    await answers(url, child);
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`workerd does not answer; see ${logFile}`, { cause: error });
  } finally {
    await log.close();
  }
  return {
    url,
    pid,
    logFile,
    async dispose() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await (await fetch(url, { redirect: "manual" })).arrayBuffer();
      return;
    } catch (error) {
      if (performance.now() > deadline || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

async function configurationOf(
  folder: string,
  services: Record<string, Service>,
  modules: Record<string, string>,
  port: number,
): Promise<string> {
  const listening = Object.keys(services)[0] ?? "";
  const written = await Promise.all(
    Object.entries(services).map(async ([name, service]) => {
      if ("folder" in service) return `(name = ${quote(name)}, disk = ${quote(service.folder)})`;
      const file = `${name}.js`;
      await writeFile(join(folder, file), service.script);
      const bindings = Object.entries(service.bindings ?? {}).map(bindingOf);
      return `(name = ${quote(name)}, worker = (
      modules = [(name = "worker.js", esModule = embed ${quote(file)})],
      compatibilityDate = ${quote(service.compatibilityDate)},
      bindings = [${bindings.join(", ")}]))`;
    }),
  );
  const added = Object.entries(modules).map(
    ([module, text]) => `(name = ${quote(module)}, internal = true, esModule = ${quote(text)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${written.join(",\n    ")},
    (name = "internet", network = (allow = ["public", "private"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = ${quote(listening)})],
  extensions = [(modules = [${added.join(", ")}])]
);
`;
}

function bindingOf([name, binding]: [string, Binding]): string {
  if ("text" in binding) return `(name = ${quote(name)}, text = ${quote(binding.text)})`;
  if ("json" in binding) return `(name = ${quote(name)}, json = ${quote(binding.json)})`;
  if ("module" in binding) return `(name = ${quote(name)}, wrapped = (moduleName = ${quote(binding.module)}))`;
  return `(name = ${quote(name)}, service = ${quote(binding.service)})`;
}

/** Text as Cap'n Proto writes it: JSON's, but for the escapes that only JSON has; ours has neither. */
function quote(text: string): string {
  return JSON.stringify(text);
}
