import { ENTERPRISE_PLAN, ENTERPRISE_PLATFORMS, PAID_PLANS, PLAN_FEATURES } from "../../contract/plans";
import type { Plan } from "./plan-list";

/** Not part of any plan. */
export const onRequest = "DeepSeek tracking is available on request.";

/** Platforms that a plan tracks. */
export function platformsOf(key: Plan["key"]): readonly string[] {
  return key === ENTERPRISE_PLAN.key ? ENTERPRISE_PLATFORMS : PLAN_FEATURES[key].platforms;
}

const ALL_PLANS = [...PAID_PLANS, ENTERPRISE_PLAN].map(({ key, title }) => ({ title, platforms: platformsOf(key) }));

/** For example `MINI, LITE and STANDARD`. */
export function listOf(words: readonly string[]): string {
  return words.join(", ").replace(/, ([^,]+)$/, " and $1");
}

export const paidTitles = listOf(PAID_PLANS.map(({ title }) => title));

interface PlatformRow {
  titles: string[];
  platforms: readonly string[];
}

/** The plans that follow one another with the same platforms, as one row. */
export function platformRows(): PlatformRow[] {
  const rows: PlatformRow[] = [];
  for (const { title, platforms } of ALL_PLANS) {
    const last = rows.at(-1);
    if (last && String(last.platforms) === String(platforms)) last.titles.push(title);
    else rows.push({ titles: [title], platforms });
  }
  return rows;
}

/** The platforms that each plan has beyond the plan before, for example `STANDARD adds Google AI Overviews`. */
export function platformsAdded(): string {
  const additions = ALL_PLANS.flatMap(({ title, platforms }, index) => {
    const before = ALL_PLANS[index - 1]?.platforms ?? platforms;
    const added = platforms.filter((platform) => !before.includes(platform));
    return added.length === 0 ? [] : [`${title} adds ${listOf(added)}`];
  });
  return additions.join("; ");
}
