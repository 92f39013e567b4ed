import { html } from "hono/html";

type Html = ReturnType<typeof html>;

export function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/page.css" />
      </head>
      <body>
        <main>
          <p class="badge">Simulator</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
}

/** To the minute, for example `2026-11-23 17:10 UTC`. */
export function time(date: number | string): Html {
  const iso = new Date(date).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}
