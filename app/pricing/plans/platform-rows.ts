import { ENTERPRISE_PLAN, ENTERPRISE_PLATFORMS, PLAN_FEATURES } from "../../contract/plans";
import { PLANS, type Plan } from "./plan-list";

export function platformsOf(key: Plan["key"]): readonly string[] {
  return key === ENTERPRISE_PLAN.key ? ENTERPRISE_PLATFORMS : PLAN_FEATURES[key].platforms;
}

interface PlatformRow {
  titles: string[];
  platforms: readonly string[];
}

/** Groups neighboring plans with the same platforms into one row. */
export function platformRows(): PlatformRow[] {
  const rows: PlatformRow[] = [];
  for (const { key, title } of PLANS) {
    const platforms = platformsOf(key);
    const last = rows.at(-1);
    if (last && String(last.platforms) === String(platforms)) last.titles.push(title);
    else rows.push({ titles: [title], platforms });
  }
  return rows;
}

export function describePrompts(key: Plan["key"]): string {
  return key === ENTERPRISE_PLAN.key ? "" : `${PLAN_FEATURES[key].prompts} prompts tracked`;
}
