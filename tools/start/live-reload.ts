/** The path on the site where the page's script learns of a reload. */
const PATH = "/live-reload";

// Removes itself before React hydrates the document. A closed connection means that the Workers are reloading; the new
// build answers the next connection and knows whether the page is out of date.
const SCRIPT = `
const { build } = document.currentScript.dataset;
document.currentScript.remove();
const connect = () => {
  const socket = new WebSocket(location.origin.replace("http", "ws") + "${PATH}?build=" + build);
  socket.onmessage = () => location.reload();
  socket.onclose = () => setTimeout(connect, 500);
};
connect();`;

/** Wraps the site's module, so that open pages reload when the Workers do. @param build different for each build */
export function liveReloadModule(site: string, build: string): string {
  return `
import site from ${JSON.stringify(site)};

const withScript = new HTMLRewriter().on("head", {
  element: (head) => head.prepend('<script src="${PATH}.js" data-build="${build}"></script>', { html: true }),
});

export default {
  ...site,
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "${PATH}.js") {
      return new Response(${JSON.stringify(SCRIPT)}, { headers: { "content-type": "text/javascript" } });
    }
    if (pathname === "${PATH}" && request.headers.get("upgrade") === "websocket") {
      const [client, server] = Object.values(new WebSocketPair());
      server.accept();
      if (searchParams.get("build") !== "${build}") server.send("reload");
      return new Response(null, { status: 101, webSocket: client });
    }
    const response = await site.fetch(request, env, context);
    if (response.status === 304 || !response.headers.get("content-type")?.startsWith("text/html")) return response;
    const page = new Response(response.body, response);
    const policy = page.headers.get("content-security-policy") ?? "";
    page.headers.set("content-security-policy", policy.replace(/script-src(?![^;]*'self')/, "$& 'self'"));
    page.headers.delete("etag");
    return withScript.transform(page);
  },
};
`;
}
