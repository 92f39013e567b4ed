/**
 * Puts each text into an element of its own, now and whenever it changes, as the translation of Chrome, Edge and Google does. React does
 * not know these elements. The words stay as they are, so that a test finds them. Also runs in a browser, so it needs nothing else.
 */
export function translate(root: HTMLElement): void {
  function translateAll() {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found: Node[] = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      if (!text.parentElement?.closest("font, script, style, textarea, option")) found.push(text);
    for (const text of found) {
      const translated = document.createElement("font");
      translated.textContent = text.textContent;
      text.parentNode?.replaceChild(translated, text);
    }
  }
  translateAll();
  new MutationObserver(translateAll).observe(root, { childList: true, characterData: true, subtree: true });
}
