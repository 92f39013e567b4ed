import type { Locator, Page } from "@playwright/test";
import { signup } from "./sign-up";
import { expect } from "./stack";

/** The color of a locator's top left pixel, as `r,g,b`. */
async function cornerOf(locator: Locator): Promise<string> {
  const png = (await locator.screenshot()).toString("base64");
  return locator.page().evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    return String(context?.getImageData(1, 1, 1, 1).data.slice(0, 3));
  }, png);
}

/** Opens the card step, and expects Stripe's fields to have the page's colors, also when the visitor's color scheme changes. */
export async function expectPageColors(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  const visitor = signup(page);
  await visitor.openCard();
  await expect(visitor.payButton).toBeEnabled();
  const number = visitor.card.getByLabel("Card number");
  await number.fill("4242");
  const colors = {
    light: { text: "rgb(16, 19, 43)", background: "rgb(255, 255, 255)" },
    dark: { text: "rgb(242, 243, 252)", background: "rgb(23, 27, 54)" },
  };
  for (const colorScheme of ["light", "dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    const { text, background } = colors[colorScheme];
    await expect(number).toHaveCSS("color", text);
    await expect(number).toHaveCSS("background-color", background);
    const frame = page.locator("iframe[title='Secure payment input frame']");
    expect(await cornerOf(frame), `the page shows through the frame: ${colorScheme}`).toBe(
      background.replace(/[^\d,]/g, ""),
    );
  }
  await expect(number, "what was typed").toHaveValue("4242");
}
