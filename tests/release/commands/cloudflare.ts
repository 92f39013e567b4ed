import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Miniflare } from "miniflare";
import { unstable_splitSqlQuery } from "wrangler";
import * as z from "zod";
import { DATABASES, SECRETS } from "../../support/filled-in-settings";
import type { RunningWorker } from "../../support/workers/workers";
import { d1Api } from "./d1";

/** A Worker's version: https://developers.cloudflare.com/api/resources/workers/subresources/scripts/subresources/versions/ */
export type Version = { id: string; metadata: { created_on: string }; annotations: Record<string, string> };

const ID = "0123456789abcdef0123456789abcdef";
const deployment = z.object({ versions: z.array(z.object({ version_id: z.string() })) });
/** Answers any request whose answer Wrangler does not look at. */
const DONE = {
  ...{ id: ID, deployment_id: ID, startup_time_ms: 1, enabled: false, previews_enabled: false },
  resources: { script: { etag: ID }, script_runtime: {} },
};
const DATABASE_LIST = [
  { uuid: DATABASES.production, name: "citewell-subscriptions" },
  { uuid: DATABASES.staging, name: "citewell-subscriptions-staging" },
];
const NO_WORKER = { code: 10007, message: "This Worker does not exist on your account." };

/** A new database, which no Worker uses yet. */
export const NEW_DATABASE = "5b1f0c9e-7d3a-4e8b-9c46-2a1d8f7e6b50";

/** Answers every request to a host. */
export type HostAnswers = (request: Request) => Response | Promise<Response>;

/** Answers as a Worker or the simulator does. @param change of the headers */
export const through =
  (url: string, change: (headers: Headers, url: string) => void = () => {}): HostAnswers =>
  async (request) => {
    const { pathname, search, origin } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of ["host", "connection", "content-length", "transfer-encoding", "accept-encoding"])
      headers.delete(name);
    change(headers, origin + pathname + search);
    const body = request.method === "GET" ? {} : { body: await request.text() };
    const answer = await fetch(url + pathname + search, {
      method: request.method,
      headers,
      redirect: "manual",
      ...body,
    });
    const cookies = answer.headers.getSetCookie().map((cookie): [string, string] => ["set-cookie", cookie]);
    return new Response(await answer.text(), { status: answer.status, headers: cookies });
  };

/** A site sees its own URL. */
export const asOwnUrl = (headers: Headers, url: string) => headers.set("MF-Original-URL", url);

async function send(response: ServerResponse, answer: Response): Promise<void> {
  // `fetch` has decoded the body.
  const own = [...answer.headers].filter(
    ([name]) => !/^(?:connection|content-(?:encoding|length)|transfer-encoding)$/.test(name),
  );
  for (const [name, value] of own) response.appendHeader(name, value);
  response.writeHead(answer.status).end(await answer.text());
}

/**
 * Cloudflare's API as Wrangler uses it, for an account in which all Workers have their secrets, and D1 is real. `changes` are the
 * writing requests, except D1's statements, and the versions that were rolled back to.
 * @param api has the databases of both stages
 * @param hosts who answers below acme.com, other.com and stripe.com; nobody by default
 */
export async function startCloudflare(api?: RunningWorker, hosts: Record<string, HostAnswers> = {}) {
  const versions = new Map<string, Version[]>();
  const changes: string[] = [];
  const d1 = new Miniflare({
    modules: true,
    script: "export default {}",
    d1Databases: [...Object.values(DATABASES), NEW_DATABASE],
  });

  async function execute(id: string, sql: string) {
    const statements = unstable_splitSqlQuery(sql);
    if (api && id !== NEW_DATABASE) return api.database.batch(statements.map((one) => api.database.prepare(one)));
    const database = await d1.getD1Database(id);
    return database.batch(statements.map((one) => database.prepare(one)));
  }

  const own = d1Api(execute, () => `http://127.0.0.1:${port}`);

  /** The answer's `result`; undefined: there is no such thing. */
  async function resultOf(request: IncomingMessage, path: string): Promise<unknown> {
    const { method = "GET" } = request;
    const isRead = method === "GET";
    const body = path.includes("/workers/scripts/") && !path.endsWith("/deployments") ? "" : await text(request);
    if (path.startsWith("/d1/database?")) return DATABASE_LIST;
    if (path.startsWith("/d1/") && !path.includes("/query") && !isRead) changes.push(`${method} ${path.split("?")[0]}`);
    if (path === "/d1/database") return { ...DATABASE_LIST[0], uuid: NEW_DATABASE };
    const ofDatabase = await own.resultOf(method, path, body);
    if (ofDatabase !== undefined) return ofDatabase;
    const [, kind, name = "", rest = ""] = /^\/workers\/(scripts|services)\/([^/?]+)([^?]*)/.exec(path) ?? [];
    if (!isRead) changes.push(`${request.method} ${path.split("?")[0]}`);
    const secrets = SECRETS[name.includes("site") ? "site" : "api"];
    if (rest === "/secrets") return secrets.map((secret) => ({ name: secret, type: "secret_text" }));
    if (rest === "/versions" && isRead) return { items: versions.get(name) ?? [] };
    if (rest.startsWith("/versions/")) return versions.get(name)?.find(({ id }) => rest.endsWith(id));
    if (rest === "/deployments" && isRead) return { deployments: [] };
    if (rest === "/deployments")
      changes.push(...deployment.parse(JSON.parse(body)).versions.map(({ version_id }) => `${name} ${version_id}`));
    if (path.includes("/zones")) return [{ id: ID, name: "acme.com" }];
    if (path.includes("/domains/")) return [];
    if (rest === "/assets-upload-session") return { jwt: "e30.e30.e30", buckets: [] };
    if (kind === "services") return { default_environment: { script: { last_deployed_from: "wrangler" } } };
    return DONE;
  }

  const server = createServer(async (request, response) => {
    const [, host = "", ownPath = ""] = /^\/to\/([^/]+)(\/.*)/.exec(request.url ?? "") ?? [];
    const [, signed] = /^\/signed\/(.+)/.exec(request.url ?? "") ?? [];
    if (signed) {
      const answer = await own.signed(request.method ?? "GET", signed, await text(request));
      return send(response, answer);
    }
    const answers = hosts[host];
    if (answers) {
      const { method = "GET", headers } = request;
      const sent = [...Object.entries(headers)].map(([name, value]): [string, string] => [name, String(value)]);
      const body = method === "GET" ? {} : { body: await text(request) };
      const answer = await answers(new Request(`https://${host}${ownPath}`, { method, headers: sent, ...body }));
      return send(response, answer);
    }
    if (host !== "") return void response.destroy();
    const path = (request.url ?? "").replace(`/client/v4/accounts/${ID}`, "");
    const result = await resultOf(request, path).catch((error) => new Error(error));
    const success = result !== undefined && !(result instanceof Error);
    const error = result === undefined ? NO_WORKER : { code: 7500, message: String(result) };
    const answer = success ? { result, errors: [] } : { result: null, errors: [error] };
    response.writeHead(success ? 200 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...answer, success, messages: [] }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const dispose = async () => {
    server.closeAllConnections();
    server.close();
    await d1.dispose();
  };
  // Commands ask production at the host of its settings.
  const redirect = `import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
const { fetch } = globalThis;
globalThis.fetch = (url, init) => fetch(String(url).replace(/^https:\\/\\/(?=[\\w.]*(?:acme|other|stripe)\\.com)/, "http://127.0.0.1:${port}/to/"), init);
// Stripe's client does not use fetch.
const { request } = https;
https.request = (options, ...rest) => options.host === "api.stripe.com"
  ? http.request({ ...options, protocol: "http:", host: "127.0.0.1", port: ${port}, path: "/to/api.stripe.com" + options.path, agent: undefined }, ...rest)
  : request(options, ...rest);
syncBuiltinESMExports();`;
  /** For a command. */
  const env = {
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(redirect)}`,
    ...{ CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`, CLOUDFLARE_API_TOKEN: "token" },
    ...{ CLOUDFLARE_ACCOUNT_ID: ID, STRIPE_SECRET_KEY: "" },
  };
  return { versions, changes, execute, env, dispose };
}
