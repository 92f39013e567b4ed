import { ALL_TESTS } from "@mdn/mdn-http-observatory/src/constants.js";
import { MINIMUM_SCORE_FOR_EXTRA_CREDIT } from "@mdn/mdn-http-observatory/src/grader/charts.js";
import { getScoreModifier } from "@mdn/mdn-http-observatory/src/grader/grader.js";
import { Session } from "@mdn/mdn-http-observatory/src/retriever/session.js";
import { parseHttpEquivHeaders } from "@mdn/mdn-http-observatory/src/retriever/utils.js";
import { type Fetched, Requests } from "@mdn/mdn-http-observatory/src/types.js";
import type { Answer } from "../visitors/site-visitor";

/** What MDN's HTTP Observatory thinks of a page: its score, and each of its tests' results with what it adds. */
export type Score = { score: number; results: Record<string, number> };

/**
 * Scores answers of the site as https://developer.mozilla.org/observatory does, with its own tests. Only its retriever is
 * left out: it wants a host on the internet, refuses to score error pages, and asks for nothing that is not here.
 * @param answers the page, the answers of its plain http URL and to a CORS preflight
 */
export async function observatoryScore(
  url: URL,
  answers: { page: Answer; insecure: Answer; preflight: Answer },
): Promise<Score> {
  const session = new Session(url);
  for (const cookie of answers.page.headers.getSetCookie()) await session.jar.setCookie(cookie, url.href);

  const requests = new Requests(url.hostname);
  const page = { ...fetched(answers.page), httpEquiv: parseHttpEquivHeaders(answers.page.body, url.href) };
  const redirect = { url: new URL(url.href.replace("https:", "http:")), status: answers.insecure.status };
  const target = new URL(answers.insecure.headers.get("Location") ?? redirect.url);
  requests.session = session;
  requests.resources.path = answers.page.body;
  requests.responses = {
    auto: page,
    https: page,
    http: page,
    cors: fetched(answers.preflight),
    httpRedirects: [redirect, { url: target, status: page.status }],
    httpsRedirects: [{ url, status: page.status }],
  };

  const results: Score["results"] = {};
  let penalties = 0;
  let extra = 0;
  for (const test of ALL_TESTS) {
    const { result } = test(requests);
    if (result === null) throw new Error(`${test.name} came to no result`);
    const modifier = getScoreModifier(result);
    results[result] = modifier;
    if (modifier < 0) penalties += modifier;
    else extra += modifier;
  }
  const strict = 100 + penalties;
  return { score: strict >= MINIMUM_SCORE_FOR_EXTRA_CREDIT ? strict + extra : strict, results };
}

function fetched(response: Answer): Fetched {
  const headers: Fetched["headers"] = Object.fromEntries(response.headers);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  return { status: response.status, headers, verified: true, request: { headers: {} } };
}
