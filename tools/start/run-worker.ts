import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Log, LogLevel, Miniflare, type MiniflareOptions } from "miniflare";
import { migrateDatabase } from "../wrangler/migrate-database";

/** A Worker that crashes more often is not started again. */
const MOST_CRASHES = { count: 3, withinMs: 60_000 };

export type LocalWorker = {
  /** Where it listens, once it has started. */
  ready(): Promise<URL>;
  /** Applies new migrations to its database. */
  migrate(): Promise<void>;
  /** Starts it again with new options. */
  reload(): Promise<void>;
  dispose(): Promise<void>;
};

/**
 * Runs a built Worker in Miniflare, and starts it again when workerd crashes. Not in `wrangler dev`, whose proxy exits when
 * a client disconnects during an upload (https://github.com/cloudflare/workers-sdk/issues/15203).
 * @param options read at each start
 * @param onLine gets each line that the Worker logs, and Miniflare's errors
 * @param onCrash called before each restart with true, with false when it has crashed too often
 */
export async function runWorker(
  options: () => Promise<MiniflareOptions>,
  onLine: (line: string) => void,
  onCrash: (isRestarted: boolean) => void,
): Promise<LocalWorker> {
  let running: Readable | undefined;
  let crashes: number[] = [];
  const all = async (): Promise<MiniflareOptions> => ({
    ...(await options()),
    log: new LinesOfLog(onLine),
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      running = stdout;
      for (const input of [stdout, stderr]) createInterface({ input }).on("line", onLine);
      stdout.once("close", () => running === stdout && crashed());
    },
  });
  const reload = async () => {
    running = undefined;
    await miniflare.setOptions(await all());
  };
  const crashed = () => {
    crashes = [...crashes.filter((time) => Date.now() - time < MOST_CRASHES.withinMs), Date.now()];
    const isRestarted = crashes.length <= MOST_CRASHES.count;
    onCrash(isRestarted);
    if (isRestarted) reload().catch(() => onCrash(false));
  };
  const miniflare = new Miniflare(await all());
  await miniflare.ready;
  return {
    ready: () => miniflare.ready,
    migrate: async () => migrateDatabase(await miniflare.getD1Database("DB")),
    reload,
    dispose: () => {
      running = undefined;
      return miniflare.dispose();
    },
  };
}

/** Miniflare's errors, such as an exception that a Worker did not catch. */
class LinesOfLog extends Log {
  constructor(private readonly onLine: (line: string) => void) {
    super(LogLevel.ERROR);
  }
  protected override log(message: string): void {
    for (const line of message.split("\n")) this.onLine(line);
  }
}
