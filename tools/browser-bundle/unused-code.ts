import { readFile } from "node:fs/promises";

/*
 * Library code that no visitor's browser runs. Only the sign-up has scripts, and it uses a part of what Remix and Conform can do.
 * Each condition below gets the value that it always has here, and the minifier drops what can no longer be reached: a tenth of
 * the bytes.
 */

interface UnusedCode {
  why: string;
  /** From node_modules. */
  file: string;
  /** Texts of the file and their replacements. Each text may appear several times. */
  changes: Record<string, string>;
}

const REMIX = "@remix-run/react/dist/esm";
const ROUTER = "@remix-run/router/dist/router.js";
const CONFORM = "@conform-to/dom/dist";

const UNUSED_CODE: UnusedCode[] = [
  {
    why: "remix.config.js switches the discovery of routes off: each page has all of them.",
    file: `${REMIX}/fog-of-war.js`,
    changes: { "return future.v3_lazyRouteDiscovery === true && !isSpaMode;": "return false;" },
  },
  {
    why: "The same in the router.",
    file: ROUTER,
    changes: {
      "let patchRoutesOnNavigationImpl = init.patchRoutesOnNavigation;":
        "const patchRoutesOnNavigationImpl = undefined;",
      "fogOfWar.active && fogOfWar.matches": "false",
      "if (fogOfWar.active)": "if (false)",
      "if (isFogOfWar)": "if (false)",
      "!isFogOfWar": "true",
    },
  },
  {
    why: "No useFetcher, useBlocker or <ScrollRestoration>, and no hot replacement of modules.",
    file: ROUTER,
    changes: {
      "    enableScrollRestoration,\n": "",
      "    fetch,\n": "",
      "    getFetcher,\n    deleteFetcher: deleteFetcherAndUpdateState,\n": "",
      "    getBlocker,\n    deleteBlocker,\n    patchRoutes,\n": "",
      "    _internalSetRoutes\n": "",
    },
  },
  {
    why: "Data comes from single fetch, which has no deferred data.",
    file: `${REMIX}/routes.js`,
    changes: { 'if (typeof singleFetch === "function") {': "if (true) {" },
  },
  {
    why: "No link prefetches.",
    file: `${REMIX}/components.js`,
    changes: {
      "shouldPrefetch && !isAbsolute ?": "false ?",
      "isPageLinkDescriptor(link) ?": "false ?",
      'NavLink.displayName = "NavLink";': "",
    },
  },
  {
    why: "Data comes from single fetch, whose scripts have no deferred data.",
    file: `${REMIX}/components.js`,
    changes: {
      "let activeDeferreds = future.v3_singleFetch ?": "let activeDeferreds = true ?",
      "if (!isStatic && typeof __remixContext": "if (false && typeof __remixContext",
    },
  },
  {
    why: "No link asks for a view transition.",
    file: "react-router-dom/dist/index.js",
    changes: {
      "if (!viewTransitionOpts || isViewTransitionUnavailable) {": "if (true) {",
      "if (renderDfd && pendingState && ": "if (false && ",
      "if (vtContext.isTransitioning && !vtContext.flushSync) {": "if (false) {",
      "if (!vtContext.isTransitioning && interruption) {": "if (false) {",
    },
  },
  {
    why: "Conform validates fields. Nothing inserts, removes, moves, updates or resets them.",
    file: `${CONFORM}/form.mjs`,
    changes: { "switch (intent.type) {": 'switch ("validate") {' },
  },
  {
    why: "The same for its submissions.",
    file: `${CONFORM}/submission.mjs`,
    changes: { "switch (intent.type) {": 'switch ("validate") {' },
  },
];

/** The paths from node_modules of the files with unused code. */
export const FILES_WITH_UNUSED_CODE = [...new Set(UNUSED_CODE.map(({ file }) => file))];

/** A library's file without its unused code. Throws if a text is missing, as after an update of the library. */
export async function withoutUnusedCode(path: string): Promise<string> {
  const parts = UNUSED_CODE.filter(({ file }) => path.replaceAll("\\", "/").endsWith(`/node_modules/${file}`));
  const changes = parts.flatMap(({ changes }) => Object.entries(changes));
  return changes.reduce(
    (code, [text, replacement]) => {
      if (!code.includes(text)) throw new Error(`tools/browser-bundle/unused-code.ts: ${path} has no ${text.trim()}`);
      return code.replaceAll(text, replacement);
    },
    await readFile(path, "utf8"),
  );
}
