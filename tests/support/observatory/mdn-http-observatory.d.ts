/* The parts of MDN's scanner that the tests call; the package has no types of its own. */

declare module "@mdn/mdn-http-observatory/src/types.js" {
  /** What the scanner has fetched from a site. */
  export class Requests {
    constructor(hostname: string);
    resources: { path: string | null };
    responses: {
      auto: Fetched | null;
      cors: Fetched | null;
      http: Fetched | null;
      https: Fetched | null;
      httpRedirects: { url: URL; status: number }[];
      httpsRedirects: { url: URL; status: number }[];
    };
    session: import("@mdn/mdn-http-observatory/src/retriever/session.js").Session | null;
  }
  export interface Fetched {
    status: number;
    headers: Record<string, string | string[]>;
    verified: boolean;
    request: { headers: Record<string, string> };
    httpEquiv?: Map<string, string[]>;
  }
}

declare module "@mdn/mdn-http-observatory/src/retriever/session.js" {
  export class Session {
    constructor(url: URL);
    jar: { setCookie(cookie: string, url: string): Promise<unknown> };
  }
}

declare module "@mdn/mdn-http-observatory/src/retriever/utils.js" {
  export function parseHttpEquivHeaders(html: string, url: string): Map<string, string[]>;
}

declare module "@mdn/mdn-http-observatory/src/constants.js" {
  export const ALL_TESTS: ((requests: import("@mdn/mdn-http-observatory/src/types.js").Requests) => {
    pass: boolean;
    result: string | null;
  })[];
}

declare module "@mdn/mdn-http-observatory/src/grader/grader.js" {
  export function getScoreModifier(result: string): number;
}

declare module "@mdn/mdn-http-observatory/src/grader/charts.js" {
  export const MINIMUM_SCORE_FOR_EXTRA_CREDIT: number;
}
