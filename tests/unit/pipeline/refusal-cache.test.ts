import type { AppLoadContext } from "@remix-run/cloudflare";
import { describe, expect, test } from "vitest";
import { refusalCache } from "../../../app/pipeline/cache/refusal-cache.server";
import {
  BODY_TOO_LARGE,
  CROSS_ORIGIN,
  methodNotAllowed,
  type Refusal,
  TOO_MANY_REQUESTS,
} from "../../../app/pipeline/guard/refusals.server";
import { routeMatcher } from "../../../app/pipeline/route-matcher.server";
import { contextWith } from "../../support/site-in-process/pipeline-context";
import { smallBuild } from "../../support/site-in-process/small-build";

/** Refused senders, and a page whose status can differ from the refusal's. */
function refusals() {
  const answerRefused = refusalCache(routeMatcher(smallBuild));
  const rendered: { url: string; accept: string | null; context: AppLoadContext }[] = [];
  const work: Promise<unknown>[] = [];
  let failing = false;

  async function render(request: Request, context: AppLoadContext): Promise<Response> {
    const accept = request.headers.get("Accept");
    rendered.push({ url: request.url, accept, context });
    const { status, title } = context.refusal ?? { status: 200, title: "none" };
    return new Response(`${title}, ${accept}, request ${context.requestId}`, { status: failing ? 503 : status });
  }

  const refuse = async (refusal: Refusal, requestId: string, path = "/x?a=1", init: RequestInit = {}) => {
    const url = new URL(path, "https://www.example");
    const context = contextWith({
      url,
      requestId,
      configuration: { SITE_URL: "https://www.example" },
      form: { password: "S3ntinel" },
      execution: { waitUntil: (promise: Promise<unknown>) => work.push(promise) },
    });
    const answer = await answerRefused(new Request(url, init), context, refusal, render);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const fail = (now: boolean) => {
    failing = now;
  };
  return { refuse, rendered, work, fail };
}

const markdown = { headers: { Accept: "text/markdown" } };

describe("a cached error page", () => {
  test("is rendered once, and shows each request's own ID [D8]", async () => {
    const { refuse, rendered, work } = refusals();
    const ids = Array.from({ length: 20 }, (_, at) => `request-${at}`);
    const answers = await Promise.all(ids.map((id) => refuse(CROSS_ORIGIN, id)));
    answers.push(await refuse(CROSS_ORIGIN, "later"));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      [...ids, "later"].map((id) => [403, `Request refused, text/html, request ${id}`]),
    );
    expect([rendered.length, work.length]).toEqual([1, 1]);
  });

  test("contains nothing of the refused request except the site's URL [D8]", async () => {
    const { refuse, rendered } = refusals();
    await refuse(CROSS_ORIGIN, "this-request");
    const [{ url, context } = { url: "", context: contextWith({}) }] = rendered;
    expect(url).toBe("https://www.example/refused");
    expect([context.url.href, context.nonce, context.form]).toEqual([url, "", undefined]);
    expect(context.route).toMatchObject({ id: "rest", pagePath: "/refused" });
    expect(context.refusal).toBe(CROSS_ORIGIN);
    expect(context.requestId).not.toBe("this-request");
  });

  test("exists once for each error, in HTML and in Markdown", async () => {
    const { refuse, rendered } = refusals();
    for (let time = 0; time < 2; time += 1) {
      expect((await refuse(CROSS_ORIGIN, "1")).text).toBe("Request refused, text/html, request 1");
      expect((await refuse(BODY_TOO_LARGE, "2")).status).toBe(413);
      expect((await refuse(CROSS_ORIGIN, "3", "/x", markdown)).text).toBe("Request refused, text/markdown, request 3");
      expect((await refuse(CROSS_ORIGIN, "4", "/x.md")).text).toBe("Request refused, text/markdown, request 4");
    }
    expect(rendered.map(({ accept }) => accept)).toEqual(["text/html", "text/html", "text/markdown"]);
  });

  test("has the error's headers, and no body for a HEAD, whether fresh or cached [A8]", async () => {
    const { refuse, rendered } = refusals();
    for (let time = 0; time < 2; time += 1) {
      expect((await refuse(methodNotAllowed("GET"), "1")).headers.get("Allow")).toBe("GET");
      expect((await refuse(methodNotAllowed("GET, POST"), "2")).headers.get("Allow")).toBe("GET, POST");
      const { status, headers, text } = await refuse(TOO_MANY_REQUESTS, "3", "/x", { method: "HEAD" });
      expect([status, headers.get("Retry-After"), text]).toEqual([429, "60", ""]);
      expect((await refuse(TOO_MANY_REQUESTS, "4")).text).toBe("Too many requests, text/html, request 4");
    }
    expect(rendered).toHaveLength(3);
  });

  test("is not cached if rendering fails: each request gets the fallback with its own request ID [D8]", async () => {
    const { refuse, rendered, fail } = refusals();
    fail(true);
    expect(await refuse(CROSS_ORIGIN, "1")).toMatchObject({ status: 503, text: expect.stringContaining("request 1") });
    expect((await refuse(CROSS_ORIGIN, "2", "/x", markdown)).text).toBe("Request refused, text/markdown, request 2");
    fail(false);
    expect(await refuse(CROSS_ORIGIN, "3")).toMatchObject({ status: 403, text: expect.stringContaining("request 3") });
    const before = rendered.length;
    await refuse(CROSS_ORIGIN, "4");
    expect(rendered).toHaveLength(before);
  });
});
