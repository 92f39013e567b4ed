/** In the second frame the first one has been painted. A background tab gets frames once it is shown. */
const START = `requestAnimationFrame(() => requestAnimationFrame(() => {
for (const link of document.querySelectorAll("link[media=print]")) link.media = "";
const waiting = document.getElementById("hydration");
const script = waiting.cloneNode(true);
script.type = "module";
waiting.replaceWith(script);
}))`;

/**
 * Lets the scripts of a rendered page load after its first paint, which they would delay; the page works without them.
 * @param html rendered with Remix's `<Scripts>`
 */
export function afterFirstPaint(html: string, nonce: string): string {
  const waiting = html
    .replaceAll('<link rel="modulepreload"', '<link media="print" rel="modulepreload"')
    .replace('type="module" async=""', 'type="text/plain" id="hydration"');
  return waiting.replace("</body>", () => `<script nonce="${nonce}">${START}</script></body>`);
}
