import autocannon from "autocannon";
import { cpuMicroseconds } from "./process-figures";
import { type Measured, measuredOf } from "./statistics";
import type { RunningWorkerd } from "./workerd";

/** What a round asks for, again and again. */
export interface Target {
  server: RunningWorkerd;
  path: string;
  /** Connections that ask at the same time. */
  connections: number;
  /** A form, in place of a GET. */
  form?: string;
  expects: 200 | 303;
}

/** What the rounds of one target gave. */
export interface Load {
  requestsPerSecond: Measured;
  /** Of the Worker's process, in microseconds; undefined where the system does not tell. */
  cpuPerRequest: Measured | undefined;
}

interface Round {
  requestsPerSecond: number;
  cpuPerRequest: number | undefined;
}

/** How often and how long each target is loaded; in seconds. */
export interface Course {
  rounds: number;
  seconds: number;
  /** Before the first round: until the engine has optimised what runs. */
  warmUp: number;
}

/** Loads several targets in turn, round after round, so that what else the machine does meets all of them alike. */
export async function measureInTurn<Name extends string>(
  targets: Record<Name, Target>,
  { rounds, seconds, warmUp }: Course,
): Promise<Record<Name, Load>> {
  const names = Object.keys(targets) as Name[];
  for (const name of names) await oneRound(targets[name], { duration: warmUp });
  const all = new Map<Name, Round[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) all.get(name)?.push(await oneRound(targets[name], { duration: seconds }));
  }
  return Object.fromEntries(names.map((name) => [name, loadOf(all.get(name) ?? [])])) as Record<Name, Load>;
}

/** Sends a number of requests, however long it takes. */
export async function send(target: Target, amount: number): Promise<void> {
  await oneRound(target, { amount });
}

function loadOf(rounds: Round[]): Load {
  const cpu = rounds.flatMap(({ cpuPerRequest }) => cpuPerRequest ?? []);
  return {
    requestsPerSecond: measuredOf(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
    cpuPerRequest: cpu.length === rounds.length ? measuredOf(cpu) : undefined,
  };
}

async function oneRound(
  { server, path, connections, form, expects }: Target,
  length: { duration: number } | { amount: number },
): Promise<Round> {
  const before = cpuMicroseconds(server.pid);
  const started = performance.now();
  const result = await autocannon({
    url: server.url.replace("localhost", "127.0.0.1") + path,
    connections,
    ...length,
    ...(form !== undefined && {
      method: "POST" as const,
      body: form,
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Origin: server.url.replace("localhost", "127.0.0.1"),
        "Sec-Fetch-Site": "same-origin",
      },
    }),
  });
  const seconds = (performance.now() - started) / 1000;
  const used = cpuMicroseconds(server.pid);
  const total = result.requests.total;
  const counted = result.statusCodeStats?.[`${expects}`]?.count ?? 0;
  if (total === 0 || result.errors > 0 || counted < total) {
    throw new Error(
      `${server.url}${path}: ${counted} of ${total} answers were ${expects}, ${result.errors} failed; see ${server.logFile}`,
    );
  }
  return {
    requestsPerSecond: total / seconds,
    cpuPerRequest: before === undefined || used === undefined ? undefined : (used - before) / total,
  };
}
