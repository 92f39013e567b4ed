import { fields } from "../support/visitors/site-visitor";
import { type Asked, type Course, cpuPerRequest, measuredOf } from "./load";
import type { Row } from "./report";
import { startConstant, startSiteWorkerd } from "./servers";

/** What is measured beside a Worker that sends the same bytes with the same status and headers. */
export const subjects: (Asked & { what: string; atMost: number })[] = [
  { what: "Home page", path: "/", status: 200, atMost: 1.5 },
  { what: "Form page", path: `/subscription/${fields.package_id}`, status: 200, atMost: 2 },
  { what: "Form page of an unknown plan", path: "/subscription/no-plan", status: 200, atMost: 2 },
  { what: "Not found", path: "/no-such-page", status: 404, atMost: 1.5 },
  { what: "robots.txt", path: "/robots.txt", status: 200, atMost: 1.5 },
];

/** Loads a fresh site and its constant in turn; each is first in every other pair, so that what slows the machine meets both. */
export async function measureSubject(subject: (typeof subjects)[number], course: Course): Promise<Row> {
  const site = await startSiteWorkerd();
  const constant = await startConstant(await fetch(site.url + subject.path));
  try {
    const all = { site: [] as number[], constant: [] as number[], ratio: [] as number[] };
    for (const server of [site, constant]) await cpuPerRequest(server, subject, course.warmUp);
    for (let round = 0; round < course.rounds; round += 1) {
      const cpu = { site: 0, constant: 0 };
      const pair = [["site", site] as const, ["constant", constant] as const];
      for (const [name, server] of round % 2 === 0 ? pair : pair.reverse()) {
        cpu[name] = await cpuPerRequest(server, subject, course.seconds);
      }
      all.site.push(cpu.site);
      all.constant.push(cpu.constant);
      all.ratio.push(cpu.site / cpu.constant);
    }
    return {
      what: subject.what,
      site: measuredOf(all.site),
      constant: measuredOf(all.constant),
      judged: { value: measuredOf(all.ratio), unit: "×", atMost: subject.atMost },
    };
  } finally {
    await Promise.all([site.dispose(), constant.dispose()]);
  }
}
