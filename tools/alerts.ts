import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import { causeOf, runTool, ToolError } from "./failures";
import { settingsOf, stageOf } from "./releases/deployment-stages";

// npm run alerts -- --production: looks in Workers Logs for each alert of docs/operations.md, and ends with 1 if somebody must
// wake. --staging; --save makes each a saved query in the account's Query Builder. CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Filter = { key: string; operation: "eq" | "in"; type: "string" | "number"; value: string | number };
/** Log events, any of which counts. */
type Search = { events: string[]; and?: Filter[] };
type Alert = Search & { level: "wake" | "tomorrow"; withinMs: number } & (
    | { over: number }
    | { without: Search }
    | { share: number; of: Search }
    | { afterLastWeeks: number }
  );

const POSTED: Search = {
  events: ["request"],
  and: [
    { key: "method", operation: "eq", type: "string", value: "POST" },
    { key: "route", operation: "eq", type: "string", value: "/subscription" },
  ],
};
const REFUSED_KEY: Filter = { key: "status", operation: "in", type: "number", value: "401,403" };
const CARDS_FAILED: Filter = { key: "reason", operation: "eq", type: "string", value: "cards-failed" };

const wake = (events: string[], over: number, withinMs: number): Alert => ({ level: "wake", events, over, withinMs });
const tomorrow = (events: string[], over: number, withinMs: number): Alert => ({
  ...wake(events, over, withinMs),
  level: "tomorrow",
});

/** The tables of docs/operations.md, "Alerts"; `/health` is asked from outside. */
export const ALERTS: Alert[] = [
  { level: "wake", events: ["sign_up_accepted"], without: { events: ["event_processed"] }, withinMs: HOUR },
  wake(["misconfigured", "configuration_invalid"], 0, 5 * MINUTE),
  { ...wake(["stripe_failed"], 0, 5 * MINUTE), and: [REFUSED_KEY] },
  wake(["signup_failed"], 5, 5 * MINUTE),
  wake(["unexpected", "request_failed"], 5, 5 * MINUTE),
  wake(["database_failed_in_passing", "database_unavailable"], 5, 5 * MINUTE),
  wake(["stripe_failed"], 20, 5 * MINUTE),
  wake(["scheduled_run_failed"], 2, 10 * MINUTE),
  wake(["sign_ups_busy"], 10, MINUTE),
  tomorrow(["message_dead"], 0, DAY),
  tomorrow(["charge_reported"], 0, DAY),
  tomorrow(["webhook_refused"], 5, HOUR),
  { level: "tomorrow", events: ["signup_refused"], share: 0.2, of: POSTED, withinMs: HOUR },
  tomorrow(["signup_suspected"], 50, 10 * MINUTE),
  { ...tomorrow(["sign_up_ended"], 10, HOUR), and: [CARDS_FAILED] },
  tomorrow(["operator_refused", "operator_locked_out"], 10, HOUR),
  tomorrow(["csp_violation"], 50, HOUR),
  { level: "tomorrow", ...POSTED, afterLastWeeks: 10, withinMs: DAY },
];

/** @returns how many log lines fit in the time before `until` */
export type Count = (search: Search, withinMs: number, until: number) => Promise<number>;

export async function isFiring(alert: Alert, count: Count, now: number): Promise<boolean> {
  const found = await count(alert, alert.withinMs, now);
  if ("over" in alert) return found > alert.over;
  if ("without" in alert) return found > 0 && (await count(alert.without, alert.withinMs, now)) === 0;
  if ("share" in alert) return found > alert.share * (await count(alert.of, alert.withinMs, now));
  return found === 0 && (await count(alert, alert.withinMs, now - 7 * DAY)) >= alert.afterLastWeeks;
}

export function nameOf({ events, and = [], withinMs }: Alert): string {
  const values = and.map(({ key, value }) => ` ${key} ${value}`).join("");
  return `${events.join(" or ")}${values} in ${withinMs / MINUTE} min`;
}

/** https://developers.cloudflare.com/api/resources/workers/subresources/observability/subresources/telemetry/methods/query/ */
function parametersOf({ events, and = [] }: Search, workers: string[]) {
  const isIn = (key: string, values: string[]): Filter => ({
    key,
    operation: "in",
    type: "string",
    value: values.join(","),
  });
  return {
    datasets: ["cloudflare-workers"],
    filterCombination: "and",
    filters: [isIn("$metadata.service", workers), isIn("event", events), ...and],
    calculations: [{ operator: "count", alias: "lines" }],
  };
}

const counted = z.object({
  result: z.object({ calculations: z.array(z.object({ aggregates: z.array(z.object({ value: z.number() })) })) }),
});
const saved = z.object({ result: z.array(z.object({ name: z.string().nullish() })) });

/** The account's Workers Logs, for the Workers of these names. */
export function logsOf(workers: string[], environment: NodeJS.ProcessEnv) {
  const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ACCOUNT_ID: account } = environment;
  if (!token || !account) {
    throw new ToolError("Set CLOUDFLARE_ACCOUNT_ID, and: read -rs CLOUDFLARE_API_TOKEN && export CLOUDFLARE_API_TOKEN");
  }
  const base = environment.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4";
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${base}/accounts/${account}/workers/observability/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((error: unknown) => {
      throw new ToolError(`Cloudflare cannot be reached (${causeOf(error)}): look at the network.`);
    });
    if (response.ok) return response.json();
    throw new ToolError(
      `Cloudflare answers ${response.status}: the token needs the permission Workers Observability of this account.`,
    );
  };
  const count: Count = async (search, withinMs, until) => {
    const body = {
      queryId: "alerts",
      dry: true,
      view: "calculations",
      timeframe: { from: until - withinMs, to: until },
      parameters: parametersOf(search, workers),
    };
    const { result } = counted.parse(await ask("telemetry/query", body));
    return result.calculations[0]?.aggregates[0]?.value ?? 0;
  };
  return {
    count,
    /** @returns the names of those that were not there */
    async save(alerts: Alert[]): Promise<string[]> {
      const { result } = saved.parse(await ask("queries"));
      const missing = alerts.filter((alert) => !result.some(({ name }) => name === nameOf(alert)));
      for (const alert of missing) {
        const description = alert.level === "wake" ? "Wakes somebody" : "For the next working day";
        await ask("queries", { name: nameOf(alert), description, parameters: parametersOf(alert, workers) });
      }
      return missing.map(nameOf);
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runTool(async () => {
    const flag = { type: "boolean", default: false } as const;
    const { values } = parseArgs({ options: { staging: flag, production: flag, save: flag } });
    const { site, api } = settingsOf(stageOf(values));
    const logs = logsOf([site.name, api.name], process.env);
    if (values.save) {
      for (const name of await logs.save(ALERTS)) console.log(`+ ${name}`);
      return true;
    }
    let mayEveryoneSleep = true;
    for (const alert of ALERTS) {
      const isFound = await isFiring(alert, logs.count, Date.now());
      if (isFound && alert.level === "wake") mayEveryoneSleep = false;
      console.log(`${isFound ? (alert.level === "wake" ? "✗" : "!") : "✓"} ${nameOf(alert)}`);
    }
    return mayEveryoneSleep;
  });
}
