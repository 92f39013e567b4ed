import { build } from "esbuild";
import { JSDOM } from "jsdom";
import { root } from "../root";
import { compatibilityDate } from "./site-worker";
import { type RunningWorkerd, startWorkerd } from "./workerd";

/*
 * What rendering costs with Remix as its template for Cloudflare has it: the same elements as a page of the site, in a root
 * and one route, streamed by React, for a POST after reading the form. No checks, session, log or headers.
 */

/** @param html of the site's page */
export async function startStockRemix(html: string, status: number): Promise<RunningWorkerd> {
  const { document } = new JSDOM(html).window;
  const data = [...document.querySelectorAll("script")].map(({ textContent }) => textContent ?? "");
  const handedOver = data.find((text) => text.includes("streamController.enqueue")) ?? "";
  for (const script of document.querySelectorAll("body script, body link")) script.remove();
  const { outputFiles } = await build({
    stdin: { contents: source(elementOf(document.body), handedOver.length, status), resolveDir: root, loader: "tsx" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    jsx: "automatic",
    conditions: ["workerd", "worker", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return startWorkerd("stock-remix", { remix: { script: outputFiles[0]?.text ?? "", compatibilityDate } });
}

type Rendered = string | [name: string, props: Record<string, unknown>, children: Rendered[]];

/** React's names for HTML's, as far as they differ and occur. */
const PROPS: Record<string, string> = {
  class: "className",
  for: "htmlFor",
  tabindex: "tabIndex",
  autocomplete: "autoComplete",
  autocapitalize: "autoCapitalize",
  inputmode: "inputMode",
  spellcheck: "spellCheck",
  novalidate: "noValidate",
  autofocus: "autoFocus",
  value: "defaultValue",
  style: "data-style",
};

function elementOf(element: Element): Rendered {
  const props: Record<string, unknown> = {};
  for (const { name, value } of element.attributes) {
    const prop =
      PROPS[name] ?? name.replace(/^(?!aria|data)(\w+)-(\w)/, (_, start, letter) => start + letter.toUpperCase());
    props[prop] = value === "" && !name.startsWith("data-") ? true : value;
  }
  if (element.tagName === "DATALIST")
    return ["datalist", { ...props, dangerouslySetInnerHTML: { __html: element.innerHTML } }, []];
  const children = [...element.childNodes].flatMap((node) =>
    node.nodeType === 1 ? [elementOf(node as Element)] : node.nodeType === 3 ? [node.textContent ?? ""] : [],
  );
  return [
    element.tagName === element.tagName.toUpperCase() ? element.tagName.toLowerCase() : element.tagName,
    props,
    children,
  ];
}

function source(body: Rendered, dataLength: number, status: number): string {
  return `
import { createRequestHandler, data } from "@remix-run/cloudflare";
import { Links, Meta, Outlet, RemixServer, Scripts, useActionData, useLoaderData } from "@remix-run/react";
import { createElement } from "react";
import { renderToReadableStream } from "react-dom/server";

const render = ([name, props, children], key) =>
  createElement(name, { ...props, key }, ...children.map((child, index) => (typeof child === "string" ? child : render(child, index))));
const [, bodyProps, content] = ${JSON.stringify(body)};

const root = {
  default: () => <html lang="en"><head><meta charSet="utf-8" /><Meta /><Links /></head><body {...bodyProps}><Outlet /><Scripts nonce="nonce" /></body></html>,
};
const answer = { text: ${JSON.stringify("x".repeat(Math.max(dataLength - 200, 0)))} };
const page = {
  loader: () => answer,
  async action({ request }) {
    const form = Object.fromEntries(await request.formData());
    return data({ fields: Object.keys(form) }, ${status});
  },
  meta: () => [{ title: "Sign up" }, { name: "description", content: "Sign up" }, { name: "robots", content: "noindex" }],
  default() {
    useLoaderData();
    useActionData();
    return <>{content.map(render)}</>;
  },
};
const entry = {
  async default(request, status, headers, context) {
    const stream = await renderToReadableStream(<RemixServer context={context} url={request.url} nonce="nonce" />, { nonce: "nonce" });
    headers.set("Content-Type", "text/html");
    return new Response(stream, { status, headers });
  },
};
const files = { module: "/build/x.js", imports: ["/build/vendor.js", "/build/shared.js"] };
const described = (id, more) => ({ id, hasLoader: true, hasAction: true, hasClientLoader: false, hasClientAction: false, hasErrorBoundary: false, ...files, ...more });
const assets = { entry: files, routes: { root: described("root", { path: "" }), page: described("page", { parentId: "root", path: "*" }) }, version: "1", url: "/build/manifest.js" };
const future = { v3_fetcherPersist: true, v3_relativeSplatPath: true, v3_throwAbortReason: true, v3_singleFetch: true, v3_lazyRouteDiscovery: true };
const build = {
  entry: { module: entry },
  routes: { root: { id: "root", path: "", module: root }, page: { id: "page", parentId: "root", path: "*", module: page } },
  assets, future, mode: "production", isSpaMode: false, publicPath: "/build/", assetsBuildDirectory: "public/build", basename: "/",
};
const handle = createRequestHandler(build, "production");
export default { fetch: (request) => handle(request, {}) };
`;
}
