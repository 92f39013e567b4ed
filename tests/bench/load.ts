import autocannon from "autocannon";
import { cpuMicroseconds } from "./process-figures";
import type { RunningWorkerd } from "./servers/workerd";
import { type Measured, measuredOf } from "./statistics";

/** What a round asks for, again and again. */
export interface Target {
  server: RunningWorkerd;
  path: string;
  /** GET, or POST with a form, unless it is named. */
  method?: "DELETE" | undefined;
  /** A form, in place of a GET. */
  form?: string | undefined;
  cookie?: string | undefined;
  /** The status of every answer; another one ends the benchmark. */
  expects: number;
}

/** What the rounds of one target gave. */
export interface Load {
  requestsPerSecond: Measured;
  /** Of the Worker's process, in microseconds. */
  cpuPerRequest: Measured;
}

/** How often and how long each target is loaded; in seconds. */
export interface Course {
  rounds: number;
  seconds: number;
  /** Before the first round: until the engine has optimised what runs. */
  warmUp: number;
}

/** How many connections ask at the same time. */
export const CONNECTIONS = 16;

/** Loads two targets in turn, round after round; each is first in every other pair. */
export async function measurePair(site: Target, control: Target, { rounds, seconds, warmUp }: Course) {
  const all = { site: [] as Round[], control: [] as Round[] };
  await oneRound(site, warmUp);
  await oneRound(control, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    const pair = [
      { target: site, measured: all.site },
      { target: control, measured: all.control },
    ];
    if (round % 2 === 1) pair.reverse();
    for (const { target, measured } of pair) measured.push(await oneRound(target, seconds));
  }
  return { site: loadOf(all.site), control: loadOf(all.control) };
}

/** Loads one target, without a control. */
export async function measureOne(target: Target, { rounds, seconds, warmUp }: Course): Promise<Load> {
  await oneRound(target, warmUp);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) measured.push(await oneRound(target, seconds));
  return loadOf(measured);
}

type Round = Record<keyof Load, number>;

function loadOf(rounds: Round[]): Load {
  const of = (figure: keyof Round) => measuredOf(rounds.map((round) => round[figure]));
  return { requestsPerSecond: of("requestsPerSecond"), cpuPerRequest: of("cpuPerRequest") };
}

async function oneRound({ server, path, method, form, cookie, expects }: Target, duration: number): Promise<Round> {
  const before = cpuMicroseconds(server.pid);
  const started = performance.now();
  const result = await autocannon({
    url: server.url + path,
    connections: CONNECTIONS,
    duration,
    ...(method && { method }),
    ...(cookie !== undefined && { headers: { Cookie: cookie } }),
    ...(form !== undefined && {
      method: "POST" as const,
      body: form,
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Origin: server.url,
        "Sec-Fetch-Site": "same-origin",
      },
    }),
  });
  const seconds = (performance.now() - started) / 1000;
  const total = result.requests.total;
  const counted = result.statusCodeStats?.[`${expects}`]?.count ?? 0;
  if (total === 0 || result.errors > 0 || counted < total) {
    throw new Error(
      `${server.url}${path}: ${counted} of ${total} answers were ${expects}, ${result.errors} failed; see ${server.logFile}`,
    );
  }
  return { requestsPerSecond: total / seconds, cpuPerRequest: (cpuMicroseconds(server.pid) - before) / total };
}
