import { expect } from "@playwright/test";
import { fields } from "../../support/visitors/site-visitor";
import { hasTrial, type Shown, shownBy } from "./page";
import { deviceOf, type Model, WORKS, type World } from "./world";

/** More than any way on takes: a form, a card, a canceled sign-up, a form, a card, and what is between them. */
const MOVES = 10;
const { package_id: _, ...typed } = fields;

/**
 * From a page as it stands, also an old one, a visitor goes on by what each page offers: to a success, or to an end that is
 * true. API and Stripe say the same.
 */
export async function expectWayOn(model: Model, world: World, tab: number): Promise<void> {
  const { driver } = world;
  const way: string[] = [];
  for (let moves = 0; moves < MOVES; moves += 1) {
    await driver.settles(tab);
    if (driver.runsScripts) {
      await expect.poll(async () => shownBy(await driver.html(tab)).kinds, { timeout: 20_000 }).not.toEqual([]);
      await driver.settles(tab);
    }
    const shown = shownBy(await driver.html(tab));
    const { kinds, notices, words } = shown;
    way.push([...kinds, ...notices].join(" "));
    if (kinds[0] === "done") {
      const returned = model.tabs[tab]?.page?.returned;
      const email = returned ? world.emails[returned.email] : world.emails.find((email) => words.includes(email));
      return expect(await hasTrial(world, email ?? ""), `${way.join(" → ")}: ${email}`).toBe(true);
    }
    if (notices.includes("finished") || notices.includes("taken")) {
      const page = model.tabs[tab]?.page;
      const email = page?.kind === "resume" ? world.emails[page.signUp.email] : shown.value("email");
      if (await hasTrial(world, email ?? "")) return;
    }
    await goOn(world, tab, shown);
  }
  throw new Error(`There is no way on: ${way.join(" → ")}`);
}

async function goOn(world: World, tab: number, { kinds, notices, words, value }: Shown): Promise<void> {
  const { driver } = world;
  switch (kinds[0]) {
    case "form": {
      if (notices.includes("blocked")) await driver.keepCookies(deviceOf(tab), true);
      const email = `visitor-${crypto.randomUUID()}@example.com`;
      if (value("email") === "") world.emails.push(email);
      const { password, confirmPassword } = typed;
      return driver.send(tab, value("email") === "" ? { ...typed, email } : { password, confirmPassword });
    }
    case "card":
      return driver.pay(tab, WORKS, 1, async () => {});
    case "waiting":
      return expect(async () => {
        await driver.follow(tab, "Check now");
        expect(shownBy(await driver.html(tab)).kinds).not.toEqual(["waiting"]);
      }).toPass({ intervals: [200], timeout: 15_000 });
    case "resume":
      if (notices.includes("canceled")) return driver.follow(tab, "Start again");
      if (words.includes("another one is in progress")) return driver.follow(tab, "Continue the current sign-up");
      if (words.includes("has expired")) return driver.follow(tab, "Go to the sign-up");
      return driver.press(tab, "Continue this sign-up");
    default:
      throw new Error(`There is no way on from: ${words}`);
  }
}
