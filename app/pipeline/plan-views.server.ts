import type { AppLoadContext } from "@remix-run/cloudflare";
import { type CountStep, countIn, type FunnelStep, NONE } from "../contract/funnel-steps";
import { PAID_PLANS, settingOf } from "../contract/plans";
import { isOverLimit } from "../shared/limits/rate-limit";
import { rateLimitKeyOf } from "../shared/limits/rate-limit-key";
import type { Middleware } from "./middleware.server";

/** Counts steps by the request's package id, without personal data; a sender once a minute for each step. */
export interface Funnel {
  count(step: FunnelStep, packageId?: string, field?: string): void;
}

/** For pages rendered for the cache. */
export const NO_FUNNEL: Funnel = { count() {} };

/** Counts a step unless the visitor is over FUNNEL_RATE_LIMIT for it. An unknown package id is counted as `other`. */
export function funnelOf({
  configuration,
  ip,
  log,
  execution,
}: Pick<AppLoadContext, "configuration" | "ip" | "log" | "execution">): Funnel {
  const { FUNNEL, FUNNEL_RATE_LIMIT } = configuration;
  const known = PAID_PLANS.map((plan) => configuration[settingOf(plan)]);
  const count: CountStep = countIn(FUNNEL, (counted) => log.info("funnel", counted));
  const wordOf = (id: string) => (id === "" ? NONE : (known.find((one) => one === id.toLowerCase()) ?? "other"));
  async function countOnce(step: FunnelStep, packageId: string, field: string | undefined): Promise<void> {
    const key = `${step} ${field ?? NONE} ${rateLimitKeyOf(ip)}`;
    if (!(await isOverLimit(FUNNEL_RATE_LIMIT, key, log))) count(step, wordOf(packageId), field);
  }
  return { count: (step, packageId = "", field) => execution.waitUntil(countOnce(step, packageId, field)) };
}

const PROGRAM =
  /bot|crawl|spider|slurp|preview|externalhit|monitor|lighthouse|fetch|http|curl|wget|python|java\/|scrapy/i;

/** Human page view: no declared bot, no prefetch. */
export function isPageView({ method, headers }: Request): boolean {
  if (method !== "GET" || /prefetch/i.test(headers.get("Sec-Purpose") ?? headers.get("Purpose") ?? "")) return false;
  const agent = headers.get("User-Agent") ?? "";
  return agent !== "" && !PROGRAM.test(agent);
}

const PLANS = "/pricing";

/** Counts views of the plans, including 304 responses. */
export const countPlanViews: Middleware<AppLoadContext> = (request, context, next) => {
  if (context.url.pathname !== PLANS || !isPageView(request)) return next(request, context);
  return counted(request, context, next);
};

const counted: Middleware<AppLoadContext> = async (request, context, next) => {
  const response = await next(request, context);
  if (response.status === 200 || response.status === 304) context.funnel.count("plan_viewed");
  return response;
};
