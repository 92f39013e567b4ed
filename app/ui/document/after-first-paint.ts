/**
 * Starts the scripts that `waitForFirstPaint` stopped: in the second frame the first one has been painted. A background tab
 * gets frames once it is shown.
 */
export const afterFirstPaint = `requestAnimationFrame(() => requestAnimationFrame(() => {
for (const link of document.querySelectorAll("link[media=print]")) link.media = "";
const waiting = document.getElementById("hydration");
const script = waiting.cloneNode(true);
script.type = "module";
waiting.replaceWith(script);
}));`;

/**
 * Stops the scripts of a rendered page from loading before its first paint, which they would delay; the page works without.
 * @param html rendered with Remix's `<Scripts>`
 */
export function waitForFirstPaint(html: string): string {
  return html
    .replaceAll('<link rel="modulepreload"', '<link media="print" rel="modulepreload"')
    .replace('type="module" async=""', 'type="text/plain" id="hydration"');
}
