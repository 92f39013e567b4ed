import { type Course, measureOne, type Target } from "../bench/load";
import { startUpstreamWorkerd } from "../bench/servers/controls";
import { startSiteWorkerd } from "../bench/servers/site-worker";
import { fields } from "../support/visitors/site-visitor";
import { startUpstream } from "../support/workers/upstream";
import { startSite } from "../support/workers/workers";
import { type Cost, NO_DATABASE } from "./cost";
import { quiet } from "./quiet";

const FORM = `/subscription/${fields.package_id}`;
const CLIENT_SECRET = "seti_1Capacity_secret_Capacity";

export type SiteAction = "page" | "form" | "refused form" | "sign-up" | "card step";

/** A request to the site. */
interface Asked {
  path: string;
  form?: string;
  cookie?: string;
  expects: number;
}

/** CPU of workerd itself, under load; the counts of one request in Miniflare. */
export async function measureSite(course: Course): Promise<Record<SiteAction, Cost>> {
  const counter = await startCountingSite();
  const upstream = await startUpstreamWorkerd();
  const site = await startSiteWorkerd({ subscriptionApiUrl: upstream.url });
  try {
    const measure = async (asked: (siteUrl: string) => Promise<Asked>): Promise<Cost> => {
      const target: Target = { server: site, method: undefined, ...(await asked(site.url)) };
      const { cpuPerRequest } = await measureOne(target, course);
      return { ...NO_DATABASE, ...(await counter.count(await asked(counter.url))), cpu: cpuPerRequest.median / 1000 };
    };
    return {
      page: await measure(async () => ({ path: "/pricing", expects: 200 })),
      form: await measure(async () => ({ path: FORM, expects: 200 })),
      "refused form": await measure(async () => ({ path: FORM, form: encoded({ email: "nobody" }), expects: 422 })),
      "sign-up": await measure(signUp),
      "card step": await measure(async (siteUrl) => ({ path: FORM, cookie: await cardCookie(siteUrl), expects: 200 })),
    };
  } finally {
    await Promise.all([site.dispose(), upstream.dispose(), counter.dispose()]);
  }
}

function encoded(change: Record<string, string>): string {
  return new URLSearchParams({ ...fields, ...change }).toString();
}

async function signUp(siteUrl: string): Promise<Asked & { form: string }> {
  const page = await (await fetch(siteUrl + FORM)).text();
  const nonce = /name="form_nonce" value="([^"]+)"/.exec(page)?.[1] ?? "";
  return { path: FORM, form: encoded({ form_nonce: nonce }), expects: 303 };
}

/** Of a visitor who has signed up and has to enter a card. */
async function cardCookie(siteUrl: string): Promise<string> {
  const asked = await signUp(siteUrl);
  const response = await send(siteUrl, asked);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

function send(siteUrl: string, { path, form, cookie }: Asked): Promise<Response> {
  return fetch(siteUrl + path, {
    redirect: "manual",
    headers: {
      ...(cookie !== undefined && { Cookie: cookie }),
      ...(form !== undefined && { Origin: siteUrl, "Content-Type": "application/x-www-form-urlencoded" }),
    },
    ...(form !== undefined && { method: "POST", body: form }),
  });
}

/** The site with a subscription API that counts. */
async function startCountingSite() {
  const api = await startUpstream();
  api.answersJson(200, { client_secret: CLIENT_SECRET });
  const site = await startSite({ vars: { SUBSCRIPTION_API_URL: api.url } });
  return {
    url: site.url,
    async count(asked: Asked): Promise<Pick<Cost, "subrequests" | "logLines">> {
      // The first one may render what is kept.
      await (await send(site.url, asked)).arrayBuffer();
      await quiet(() => site.logs.length);
      const before = { calls: api.calls.length, lines: site.logs.length };
      const response = await send(site.url, asked);
      await response.arrayBuffer();
      if (response.status !== asked.expects) throw new Error(`${asked.path}: ${response.status}`);
      await quiet(() => site.logs.length);
      return { subrequests: api.calls.length - before.calls, logLines: site.logs.length - before.lines };
    },
    async dispose() {
      await site.dispose();
      api.dispose();
    },
  };
}
