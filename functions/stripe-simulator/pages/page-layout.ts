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
