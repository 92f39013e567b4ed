import { setTimeout as sleep } from "node:timers/promises";
import { fetch } from "miniflare";
import * as z from "zod";
import type { RunningWorker } from "../support/workers/workers";

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));
const answer = z.object({ id: z.number(), result: z.object({ usedSize: z.optional(z.number()) }) });

/**
 * The size of a Worker's heap after a garbage collection, asked through its inspector.
 * @param worker was started with an `inspectorPort`
 * @returns bytes
 */
export async function heapOf({ mf, url }: RunningWorker): Promise<number> {
  const list = new URL("/json", (await mf.getInspectorURL()).href.replace(/^ws/, "http"));
  const [target] = targets.parse(await (await fetch(list)).json());
  const debuggerUrl = target?.webSocketDebuggerUrl.replace(/^ws/, "http") ?? "";
  const { webSocket } = await fetch(debuggerUrl, { headers: { Upgrade: "websocket" } });
  if (!webSocket) throw new Error("The Worker's inspector cannot be reached");
  webSocket.accept();

  const call = (id: number, method: string) =>
    new Promise<z.output<typeof answer>["result"]>((resolve) => {
      webSocket.addEventListener("message", ({ data }) => {
        const parsed = answer.safeParse(JSON.parse(String(data)));
        if (parsed.success && parsed.data.id === id) resolve(parsed.data.result);
      });
      webSocket.send(JSON.stringify({ id, method }));
    });
  let collected = false;
  void call(1, "HeapProfiler.collectGarbage").then(() => {
    collected = true;
  });
  // The isolate collects when it runs next.
  while (!collected) {
    await (await fetch(`${url}/health`)).text();
    await sleep(20);
  }
  const { usedSize } = await call(2, "Runtime.getHeapUsage");
  webSocket.close();
  if (usedSize === undefined) throw new Error("The Worker's inspector gave no heap size");
  return usedSize;
}
