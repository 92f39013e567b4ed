import { html, raw } from "hono/html";

export type Html = ReturnType<typeof html>;

const STYLE = `
  :root { color-scheme: light dark; font: 1rem / 1.5 system-ui, sans-serif; }
  main { max-width: 44rem; margin: 2rem auto; padding-inline: 0.75rem; overflow-wrap: anywhere; }
  main > p:first-child { width: fit-content; padding-inline: 0.5rem; background: #ffde92; color: #5c3d00; }
  a { color: light-dark(#0058b8, #7db8ff); }
  form, label { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
  form > p { flex-basis: 100%; margin: 0; }
  input, select, button { min-width: 0; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; }
  [role="alert"] { color: light-dark(#b3093c, #ff8fa8); }
  ul, ol { padding: 0; list-style: none; }
  li { padding: 0.5rem 0; border-top: 1px solid #8b93a1; }
  iframe { width: 100%; height: 60rem; border: 1px solid #8b93a1; background: #fff; color-scheme: light; }
  pre { white-space: pre-wrap; }
  [hidden] { display: none; }
`;

export function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      <link rel="icon" href="data:," />
      <style>${raw(STYLE)}</style>
      <main>
        <p>Simulator</p>
        <h1>${title}</h1>
        ${content}
      </main>
    </html>`;
}

export function list<T>(items: T[], nothing: string, row: (item: T) => Html): Html {
  if (items.length === 0) return html`<p>${nothing}</p>`;
  return html`<ul>${items.map((item) => html`<li>${row(item)}</li>`)}</ul>`;
}

export function time(date: number | string): Html {
  const iso = new Date(date).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}
