import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Links, Meta, Outlet, useMatches, useRouteLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { titleOf } from "./company";
import { publicSettings } from "./pipeline/settings/public-settings.server";
import { hydrates } from "./ui/document/hydration";
import { InlineStylesheet, stylesheetOf } from "./ui/document/inline-stylesheet";
import { useNonce } from "./ui/document/nonce";
import { useServerErrorsOnly } from "./ui/document/served-page";
import { StartScript } from "./ui/document/start-script";
import { ErrorPage, UNEXPECTED_ERROR } from "./ui/layout/error-page";
import { Footer } from "./ui/layout/footer";
import { Header, SCROLL_STATE, SkipLink } from "./ui/layout/header";
import styles from "./ui/styles.css";
import type { Site } from "./ui/use-site";

export const links: LinksFunction = () => [
  { rel: "icon", href: "/favicon.ico", sizes: "32x32" },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/apple-touch-icon.png" },
  { rel: "manifest", href: "/site.webmanifest" },
];

// Pages that a visitor is about to follow a link to, except the sign-up, which has personal data:
// https://wicg.github.io/nav-speculation/speculation-rules.html
const PRERENDER = JSON.stringify({
  prerender: [
    {
      where: {
        and: [{ href_matches: "/*" }, { not: { href_matches: ["/subscription*", "/*.md", "/*.txt"] } }],
      },
      eagerness: "moderate",
    },
  ],
});

export const handle = { stylesheet: styles };

export const meta: MetaFunction = ({ error }) =>
  error ? [{ title: titleOf(UNEXPECTED_ERROR) }, { name: "robots", content: "noindex" }] : [];

export function loader({ context }: LoaderFunctionArgs): Site {
  return publicSettings(context);
}

/** The root's data does not change during a sign-up. */
export function shouldRevalidate() {
  return false;
}

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  const refreshSeconds = useRefreshSeconds();
  const handles = useMatches().map(({ handle }) => handle);
  return (
    <html lang="en" data-refresh={refreshSeconds}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#fdfdfe" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#0c0e1d" media="(prefers-color-scheme: dark)" />
        <Meta />
        {refreshSeconds !== undefined && (
          <noscript>
            <meta httpEquiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        <Links />
        <InlineStylesheet href={stylesheetOf(handles)} />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant */}
        <script nonce={nonce} dangerouslySetInnerHTML={{ __html: SCROLL_STATE }} />
      </head>
      <body>
        <SkipLink />
        <Header />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
        <Footer />
        {handles.some(hydrates) ? (
          <StartScript />
        ) : (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant
          <script nonce={nonce} type="speculationrules" dangerouslySetInnerHTML={{ __html: PRERENDER }} />
        )}
      </body>
    </html>
  );
}

/** Seconds after which a waiting page reloads, from its route's data. */
function useRefreshSeconds(): number | undefined {
  const found = useMatches().map(({ data }) =>
    typeof data === "object" && data !== null && "refreshSeconds" in data ? data.refreshSeconds : undefined,
  );
  return found.find((seconds) => typeof seconds === "number");
}

export default function Root() {
  return <Outlet />;
}

/** Refused requests have their own pages: app/routes/$.tsx. */
export function ErrorBoundary() {
  useServerErrorsOnly();
  const site = useRouteLoaderData<typeof loader>("root");
  return <ErrorPage requestId={site?.requestId} />;
}
