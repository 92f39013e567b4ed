import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { platform } from "node:process";
import { promisify } from "node:util";
import { ToolError } from "../failures";

/** What to say about an error of `listen`; any other error is returned as it is. */
export async function portProblem(port: number, error: unknown): Promise<unknown> {
  if (hasCode(error, "EACCES")) {
    return new ToolError(
      `This user may not listen on port ${port}: choose one above 1023, such as ${otherPort(port)}.`,
    );
  }
  if (!isInUse(error)) return error;
  const listener = await listenerOn(port);
  const [by, stop] = listener
    ? [` by process ${listener.pid} (${listener.command})`, `stop it with kill ${listener.pid}`]
    : ["", "stop the program that uses it"];
  return new ToolError(`Port ${port} is in use${by}: ${stop}, or choose another port, such as ${otherPort(port)}.`);
}

export const isInUse = (error: unknown) => hasCode(error, "EADDRINUSE");
const hasCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;

/** `npm start` and `npm run dev` take up to four ports, so 9000 does not help if the port is near it. */
const otherPort = (port: number) => `PORT=${port >= 8997 && port <= 9003 ? 9100 : 9000} npm start`;

type Listener = { pid: number; command: string };

/** The process that listens on a TCP port of this machine. Undefined if the system does not tell, as for other users' processes. */
async function listenerOn(port: number): Promise<Listener | undefined> {
  try {
    const pid = platform === "linux" ? await pidFromProc(port) : await pidFromLsof(port);
    return pid === undefined ? undefined : { pid, command: await commandOf(pid) };
  } catch {
    return undefined;
  }
}

/** https://man7.org/linux/man-pages/man5/proc_net_tcp.5.html: `0A` is the state LISTEN, ports are hexadecimal. */
async function pidFromProc(port: number): Promise<number | undefined> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, "0");
  const sockets = tables
    .flatMap((table) => table.split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = "", , state]) => local.endsWith(`:${hexadecimal}`) && state === "0A")
    .map((columns) => `socket:[${columns[9]}]`);
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const folder = `/proc/${pid}/fd`;
    for (const descriptor of await readdir(folder).catch(() => [])) {
      if (sockets.includes(await readlink(`${folder}/${descriptor}`).catch(() => ""))) return Number(pid);
    }
  }
  return undefined;
}

async function pidFromLsof(port: number): Promise<number | undefined> {
  const { stdout } = await promisify(execFile)("lsof", ["-nP", "-t", `-iTCP:${port}`, "-sTCP:LISTEN"]);
  return Number.parseInt(stdout, 10) || undefined;
}

async function commandOf(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "args=", "-p", String(pid)]);
  return stdout.trim().slice(0, 100);
}
