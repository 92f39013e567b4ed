import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Row } from "./report";
import { startConstant } from "./servers/controls";
import { siteScript, startSiteWorkerd } from "./servers/site-worker";
import type { RunningWorkerd } from "./servers/workerd";
import { measuredOf } from "./statistics";

/** How large the Worker is, and what a fresh workerd takes until its first page, beside one with a constant. */
export async function measureStartUp(times: number): Promise<Row[]> {
  const starts: Record<"site" | "constant", RunningWorkerd["start"][]> = { site: [], constant: [] };
  for (let time = 0; time < times; time += 1) {
    const site = await startSiteWorkerd();
    const constant = await startConstant(await fetch(site.url));
    starts.site.push(site.start);
    starts.constant.push(constant.start);
    await Promise.all([site.dispose(), constant.dispose()]);
  }
  const of = (name: "site" | "constant", figure: "cpu" | "time") =>
    measuredOf(starts[name].map((start) => start[figure]));
  const bytes = gzipSync(await readFile(siteScript)).length;
  return [
    {
      what: "Start-up, until the first page",
      site: [
        [of("site", "cpu"), "ms CPU"],
        [of("site", "time"), "ms"],
      ],
      control: [
        [of("constant", "cpu"), "ms CPU"],
        [of("constant", "time"), "ms"],
      ],
    },
    {
      what: "The Worker's script, gzip",
      site: [[bytes, "bytes"]],
      judged: { value: bytes, unit: "bytes", atMost: 204_800 },
    },
  ];
}
