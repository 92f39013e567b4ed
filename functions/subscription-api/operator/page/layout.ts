import { html } from "hono/html";
import { type Html, htmlPages } from "../../http/html-page";

const STYLE = `
:root { color-scheme: light dark; --text: #1f2430; --page: #f6f8fa; --card: #fff; --line: #c9d1d9; --link: #1d4ed8; --s0: #8a93a3; --s1: #b45309; --s2: #1d4ed8; --s3: #0b6b43; --s4: #b42318; --s5: #a78bfa; --s6: #4b5563; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ec; --page: #14171c; --card: #1d2128; --line: #414956; --link: #93b4ff; --s0: #9aa3b2; --s1: #f0a868; --s2: #7aa2ff; --s3: #72dcaa; --s4: #ff8f85; --s5: #c4b5fd; --s6: #6b7280; } }
body { margin: 0; padding: 16px; background: var(--page); color: var(--text); font: 16px/1.5 Arial, Helvetica, sans-serif; }
main { max-width: 960px; margin: 0 auto; }
section > :last-child { margin-bottom: 0; }
section { margin: 24px 0; padding: 16px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
h1 { margin: 0; font-size: 28px; }
h2 { margin: 0 0 8px; font-size: 20px; }
a { color: var(--link); }
figure { margin: 0; }
svg { display: block; width: 100%; height: auto; margin-top: 8px; border-bottom: 1px solid var(--line); }
.axis { display: flex; justify-content: space-between; margin: 4px 0; font-size: 14px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0; padding: 0; list-style: none; font-size: 14px; }
.swatch { display: inline-block; width: 12px; height: 12px; margin-right: 6px; background: currentColor; forced-color-adjust: none; }
.series-0 { fill: var(--s0); color: var(--s0); } .series-1 { fill: var(--s1); color: var(--s1); } .series-2 { fill: var(--s2); color: var(--s2); }
.series-3 { fill: var(--s3); color: var(--s3); } .series-4 { fill: var(--s4); color: var(--s4); } .series-5 { fill: var(--s5); color: var(--s5); } .series-6 { fill: var(--s6); color: var(--s6); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { padding: 6px 10px; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th:first-child { padding-left: 0; }
caption { text-align: left; }
.bar { width: 100%; } .bar svg { height: 16px; min-width: 120px; margin: 0; border: 0; }
button { min-height: 32px; padding: 4px 12px; border: 1px solid var(--link); border-radius: 6px; background: var(--card); color: var(--link); font: inherit; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.notice { padding: 12px 16px; background: var(--card); border-left: 4px solid var(--link); }
`;

const { headers, render } = htmlPages(STYLE, "same-origin");

export const operatorPageHeaders = headers;

export function operatorLayout(heading: string, body: Html) {
  return render(
    heading,
    html`<h1>${heading}</h1>
${body}`,
  );
}
