import * as z from "zod";
import { readBoundedText } from "../../../../app/shared/bounded-body";
import { describeError } from "../../../../app/shared/describe-error";
import type { FunnelReader } from "../../config";
import { log } from "../../log";

const MAX_BYTES = 64 * 1024;
const DEADLINE_MS = 5_000;

const answer = z.object({ data: z.array(z.object({ step: z.string(), n: z.coerce.number() })) });

/** Undefined when Analytics Engine does not answer. Its counts are estimates once it samples. */
export async function countsOfFunnel(
  { url, token, dataset }: FunnelReader,
  days: number,
): Promise<ReadonlyMap<string, number> | undefined> {
  const sql = `SELECT blob1 AS step, SUM(_sample_interval) AS n FROM ${dataset}
    WHERE timestamp > NOW() - INTERVAL '${days}' DAY GROUP BY step`;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: sql,
      redirect: "manual",
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const body = await readBoundedText(response, { bytes: MAX_BYTES });
    if (!response.ok || body.status !== "read") throw new Error("Analytics Engine did not answer the query");
    return new Map(answer.parse(JSON.parse(body.text)).data.map(({ step, n }) => [step, n]));
  } catch (error) {
    log("warn", "funnel_unreadable", describeError(error));
    return undefined;
  }
}
