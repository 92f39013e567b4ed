import { expect } from "@playwright/test";
import { fields } from "../../support/visitors/site-visitor";
import type { Shown } from "./model-page";
import { at, type Driver, deviceOf, WORKS, type World } from "./model-world";
import { expectTruth, hasTrial } from "./truth";

/** More steps than the longest way takes: form, card, canceled sign-up, form, card, and the pages between. */
const MOVES = 12;
const { package_id: _, ...typed } = fields;

/**
 * From a page as it stands, also an old one, a visitor goes on by what each page offers: to a success, or to an end that is
 * true.
 */
export async function expectWayOn(world: World, tab: number): Promise<void> {
  const way: string[] = [];
  for (let moves = 0; moves < MOVES; moves += 1) {
    const shown = await world.driver.look(tab);
    const { kind, notices } = shown;
    way.push([kind ?? "no step", ...notices].join(" "));
    await expectTruth(world, tab, shown);
    if (kind === "done" || notices.includes("finished")) return;
    if (notices.includes("taken") && (await hasTrial(world, shown.email))) return;
    await goOn(world, tab, shown);
  }
  throw new Error(`There is no way on: ${way.join(" → ")}`);
}

/** The API learns of a card from Stripe's webhook a moment later. */
export async function checkUntilKnown(driver: Driver, tab: number): Promise<void> {
  await expect(async () => {
    if ((await driver.look(tab)).kind === "waiting") await driver.follow(tab, "Check now");
    expect((await driver.look(tab)).kind).not.toBe("waiting");
  }).toPass({ timeout: 15_000, intervals: [50] });
}

async function goOn({ driver, emails, tabs }: World, tab: number, shown: Shown): Promise<void> {
  const { kind, notices, words } = shown;
  switch (kind) {
    case "form": {
      if (notices.includes("blocked")) await driver.keepCookies(deviceOf(tab), true);
      const { password, confirmPassword } = typed;
      if (shown.email !== "") return driver.send(tab, { password, confirmPassword });
      const email = `visitor-${crypto.randomUUID()}@example.com`;
      emails.push(email);
      return driver.send(tab, { ...typed, email });
    }
    case "card":
      at(tabs, tab).email = shown.email;
      await driver.enterCard(tab, WORKS);
      return driver.proceed(tab);
    case "waiting":
      return checkUntilKnown(driver, tab);
    case "resume":
      if (notices.includes("canceled")) return driver.follow(tab, "Start again");
      if (words.includes("another one is in progress")) return driver.follow(tab, "Continue the current sign-up");
      if (words.includes("has expired")) return driver.follow(tab, "Go to the sign-up");
      return driver.press(tab, "Continue this sign-up");
    default:
      throw new Error(`There is no way on from: ${words}`);
  }
}
