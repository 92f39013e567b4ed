import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs, ServerBuild } from "@remix-run/cloudflare";
import { Outlet, Scripts, useLoaderData, useMatches } from "@remix-run/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import * as z from "zod";
import * as entry from "../../../app/entry.server";
import type { Services } from "../../../app/pipeline/context.server";
import { createSite } from "../../../app/pipeline/stages.server";
import * as refused from "../../../app/routes/$";
import { hydrates } from "../../../app/ui/document/hydration";
import { InlineStylesheet } from "../../../app/ui/document/inline-stylesheet";
import { useNonce } from "../../../app/ui/document/nonce";
import { SETTINGS, SITE_URL } from "../../support/site-in-process/site-settings";

const serverBuild = z.custom<ServerBuild>((value) => typeof value === "object");
const noServices = z.custom<Services>((value) => typeof value === "object");

function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  return (
    <html lang="en">
      <head>
        <title>A page</title>
        <InlineStylesheet href="/build/styles.css" />
        <script nonce={nonce}>{"1"}</script>
      </head>
      <body>
        {children}
        {useMatches().some(({ handle }) => hydrates(handle)) && <Scripts nonce={nonce} />}
      </body>
    </html>
  );
}

const root = { default: Outlet, Layout, ErrorBoundary: () => <h1>Error page</h1>, handle: { stylesheet: "/s.css" } };
const page = (text: string) => ({ default: () => <h1>{text}</h1> });

function Form() {
  return <h1>Form {useLoaderData<string>()}</h1>;
}

/** What a route throws, to see what becomes of it. */
export const faults = new Map<string, () => never>();

function fault(at: string): null {
  faults.get(at)?.();
  return null;
}

/** A route of each kind; the form's page and action show what reached them. */
function buildOf(posts: Posted[]): ServerBuild {
  const form = {
    default: Form,
    handle: { hydrate: true, stylesheet: "/s.css" },
    loader: ({ request, context }: LoaderFunctionArgs) => fault("form") ?? seen(request, context),
    async action({ request, context }: ActionFunctionArgs) {
      posts.push({
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
        path: context.url.pathname,
      });
      return null;
    },
  };
  const routes = {
    home: { index: true, module: page("Home") },
    pricing: { path: "pricing", module: { ...page("Pricing"), loader: () => fault("pricing") } },
    form: { path: "subscription/:id?", module: form },
    robots: { path: "robots.txt", module: { loader: () => new Response("User-agent: *") } },
    health: { path: "health", module: { loader: () => fault("health") ?? Response.json({ status: "ok" }) } },
    refused: { path: "*", module: refused },
  };
  const all = {
    root: { id: "root", path: "", module: root },
    ...Object.fromEntries(Object.entries(routes).map(([id, route]) => [id, { id, parentId: "root", ...route }])),
  };
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

/** What a page can show of its visitor. */
function seen(request: Request, { requestId, ip, nonce }: AppLoadContext): string {
  return [...request.headers.values(), request.url, requestId, ip, nonce.length].join(" ");
}

export interface Posted {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export const COOKIE = "form=nonce; Path=/";

/** The pipeline around a small site of real Remix routes, and its log. A visitor with a cookie `signup` has a sign-up. */
export function smallSite(settings: Record<string, unknown> = {}) {
  const logged: Record<string, unknown>[] = [];
  for (const level of ["info", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => {
      if (String(line).startsWith("{")) logged.push(JSON.parse(line));
    });
  }
  const posts: Posted[] = [];
  const site = createSite({
    build: buildOf(posts),
    services: () => noServices.parse({}),
    form: {
      isEmpty: (request) => !request.headers.get("Cookie")?.includes("signup="),
      cookie: (request) => (request.headers.get("Cookie")?.includes("form=") ? undefined : COOKIE),
    },
  });
  const execution = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
  return {
    posts,
    logged,
    /** The line of each request. */
    requests: () => logged.filter(({ event }) => event === "request"),
    ask: async (path: string, init: RequestInit = {}) =>
      site.fetch(
        new Request(path.startsWith("http") ? path : SITE_URL + path, init),
        { ...SETTINGS, ...settings },
        execution,
      ),
  };
}
