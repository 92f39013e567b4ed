import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs, ServerBuild } from "@remix-run/cloudflare";
import { Outlet, useLoaderData, useMatches } from "@remix-run/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import * as z from "zod";
import * as entry from "../../../app/entry.server";
import { createSite } from "../../../app/pipeline/stages.server";
import * as refused from "../../../app/routes/$";
import { hydrates } from "../../../app/ui/document/hydration";
import { useNonce } from "../../../app/ui/document/nonce";
import { StartScript } from "../../../app/ui/document/start-script";
import { rememberText } from "../../support/matchers/received";
import { SETTINGS, SITE_URL } from "../../support/site-in-process/site-settings";

const COOKIE = "form=nonce; Path=/";
/** Media type of a form. */
export const FORM = "application/x-www-form-urlencoded";

export type Sender = Record<string, string>;
export const OWN_BROWSER: Sender = { Origin: SITE_URL, "Sec-Fetch-Site": "same-origin" };
/** A form from the site's own page; the overriding headers that are empty are not sent. */
export function formWith(headers: Sender = {}): RequestInit {
  const all = { ...OWN_BROWSER, "Content-Type": FORM, ...headers };
  return { method: "POST", headers: Object.entries(all).filter(([, value]) => value !== "") };
}

const serverBuild = z.custom<ServerBuild>();
/** Its routes use none of the features' services. */
const withoutServices = z.custom<AppLoadContext>();

function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  const isScripted = useMatches().some(({ handle }) => hydrates(handle));
  return (
    <html lang="en">
      <head>
        <style nonce={nonce}>{"h1{}"}</style>
        <script nonce={nonce}>{"1"}</script>
      </head>
      <body>
        {children}
        {isScripted && <StartScript />}
      </body>
    </html>
  );
}

const root = { default: Outlet, Layout, ErrorBoundary: () => <h1>Error page</h1> };
const page = (text: string) => ({ default: () => <h1>{text}</h1> });
/** A request as an action received it. */
type Posted = { path: string; body: string; headers: Record<string, string> };

/** A route of each kind; the form's page shows all that it could show of its visitor. `thrown` is by a route's name. */
function buildOf(posts: Posted[], thrown: Map<string, unknown>): ServerBuild {
  const data = (route: string, value: unknown = null) => {
    if (thrown.has(route)) throw thrown.get(route);
    return value;
  };
  const form = {
    default: () => <h1>Form {useLoaderData<string>()}</h1>,
    handle: { hydrate: true },
    loader: ({ request, context: { requestId, ip } }: LoaderFunctionArgs) =>
      data("form", [...request.headers.values(), request.url, requestId, ip].join(" ")),
    async action({ request, context }: ActionFunctionArgs) {
      const [body, headers] = [await request.text(), Object.fromEntries(request.headers)];
      posts.push({ path: context.url.pathname, body, headers });
      return null;
    },
  };
  const routes = {
    home: { index: true, module: page("Home") },
    pricing: { path: "pricing", module: { ...page("Pricing"), loader: () => data("pricing") } },
    form: { path: "subscription/:id?", module: form },
    robots: { path: "robots.txt", module: { loader: () => new Response("User-agent: *") } },
    health: { path: "health", module: { loader: () => data("health", Response.json({ status: "ok" })) } },
    refused: { path: "*", module: refused },
  };
  const children = Object.entries(routes).map(([id, route]) => [id, { id, parentId: "root", ...route }] as const);
  const all = { root: { id: "root", path: "", module: root }, ...Object.fromEntries(children) };
  const files = { module: "/build/module.js", imports: [], hasLoader: true, hasAction: true };
  const manifest = Object.fromEntries(Object.entries(all).map(([id, route]) => [id, { ...route, ...files }]));
  return serverBuild.parse({
    routes: all,
    entry: { module: entry },
    assets: { entry: files, routes: manifest, url: "/build/manifest.js", version: "1" },
    future: { v3_singleFetch: true },
    publicPath: "/build/",
  });
}

/** The pipeline around a small site of real Remix routes, and its log. A visitor with a cookie `signup` has a sign-up. */
export function smallSite(settings: Record<string, unknown> = {}) {
  const logged: Record<string, unknown>[] = [];
  const log = (line: string) => String(line).startsWith("{") && logged.push(JSON.parse(line));
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(console, level).mockImplementation(log);
  const posts: Posted[] = [];
  const thrown = new Map<string, unknown>();
  const cookies = (request: Request) => request.headers.get("Cookie") ?? "";
  const site = createSite({
    build: buildOf(posts, thrown),
    app: () => ({
      loadContext: (site) => withoutServices.parse(site),
      isFormEmpty: (request) => !cookies(request).includes("signup="),
      formCookie: (request) => (cookies(request).includes("form=") ? undefined : COOKIE),
    }),
  });
  const execution = { waitUntil() {}, passThroughOnException() {}, props: {} };
  const env = { ...SETTINGS, ...settings };
  return {
    posts,
    logged,
    thrown,
    /** The line of each request. */
    requests: () => logged.filter(({ event }) => event === "request"),
    ask: async (path: string, init: RequestInit = {}) => {
      const request = new Request(path.startsWith("http") ? path : SITE_URL + path, init);
      return rememberText(await site.fetch(request, env, execution));
    },
  };
}
