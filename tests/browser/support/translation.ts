import type { BrowserContext } from "@playwright/test";

/**
 * Translates every page of a context as Chrome, Edge and Google do: once React has hydrated the page, each text node is replaced by
 * `<font><font>text</font></font>`, as is each text that React adds or changes later. The words stay as they are, so that a test finds
 * them. A test's option `translated` turns it on; tests/unit/sign-up/translated-text.test.ts has the rule for every component.
 */
export async function translate(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    if (window !== window.top) return;
    const isWords = (node: Node) =>
      node.nodeType === Node.TEXT_NODE && !node.parentElement?.closest("font, script, style");
    function translateIn(root: Node) {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const found: Node[] = isWords(root) ? [root] : [];
      for (let text = texts.nextNode(); text; text = texts.nextNode()) if (isWords(text)) found.push(text);
      for (const text of found) {
        const [outer, inner] = [document.createElement("font"), document.createElement("font")];
        inner.textContent = text.textContent;
        outer.appendChild(inner);
        text.parentNode?.replaceChild(outer, text);
      }
    }
    function start() {
      translateIn(document.body);
      document.title = `${document.title}`;
      new MutationObserver((records) => {
        for (const { target, addedNodes } of records) {
          if (target.nodeType === Node.TEXT_NODE && isWords(target)) translateIn(target);
          for (const node of addedNodes) if (node.isConnected) translateIn(node);
        }
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
      document.documentElement.classList.add("translated-ltr");
    }
    /** React marks the document with its root, whose state tells when it has hydrated the page. */
    function isHydrated(): boolean {
      const key = Object.keys(document).find((name) => name.startsWith("__reactContainer$"));
      const container: unknown = key && Reflect.get(document, key);
      const read = (value: unknown, ...path: string[]): unknown =>
        path.reduce((at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined), value);
      return read(container, "stateNode", "current", "memoizedState", "isDehydrated") === false;
    }
    const hydrates = () => document.querySelector("script[type=module]") !== null;
    function wait() {
      if (document.readyState === "complete" && (isHydrated() || !hydrates())) start();
      else requestAnimationFrame(wait);
    }
    wait();
  });
}
