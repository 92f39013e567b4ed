import type { Page } from "@playwright/test";

/** Records what the live regions say, as a screen reader does: each new text. Returns a function that reads them. */
export async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said: string[] = [];
    const texts = new Map<Element, string>();
    const look = (isSaid: boolean) => {
      for (const region of document.querySelectorAll("[role=alert], [role=status]")) {
        const text = (region.textContent ?? "").trim();
        if (isSaid && text !== "" && text !== texts.get(region) && region.checkVisibility()) said.push(text);
        texts.set(region, text);
      }
    };
    look(false);
    new MutationObserver(() => look(true)).observe(document, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { said });
  });
  return () => page.evaluate("said");
}
