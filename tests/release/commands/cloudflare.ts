import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { Miniflare } from "miniflare";
import { unstable_splitSqlQuery } from "wrangler";
import * as z from "zod";
import { DATABASES } from "../../support/filled-in-settings";

export const SECRETS = {
  site: ["SESSION_SECRET"],
  api: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "OPERATOR_TOKEN", "LINK_SECRET", "HASH_SECRET"],
};

/** A Worker's version: https://developers.cloudflare.com/api/resources/workers/subresources/scripts/subresources/versions/ */
export type Version = { id: string; metadata: { created_on: string }; annotations: Record<string, string> };

const ID = "0123456789abcdef0123456789abcdef";
const query = z.object({ sql: z.string() });
const deployment = z.object({ versions: z.array(z.object({ version_id: z.string() })) });

/**
 * Cloudflare's API as Wrangler uses it, for an account in which all Workers have their secrets, and D1 is real. `changes` are
 * the writing requests, except D1's statements, and the versions that were rolled back to.
 */
export async function startCloudflare(account: { isNew?: boolean; refuses?: boolean } = {}) {
  const names = ["citewell-site", "citewell-subscription-api"].flatMap((name) => [name, `${name}-staging`]);
  const workers = new Map(
    account.isNew ? [] : names.map((name) => [name, SECRETS[name.includes("site") ? "site" : "api"]]),
  );
  const versions = new Map<string, Version[]>();
  const changes: string[] = [];
  const d1 = new Miniflare({ modules: true, script: "export default {}", d1Databases: Object.values(DATABASES) });

  async function execute(id: string, sql: string) {
    const database = await d1.getD1Database(id);
    return database.batch(unstable_splitSqlQuery(sql).map((statement) => database.prepare(statement)));
  }

  /** The answer's `result`; undefined: there is no such thing. What Wrangler does not look at is the same for all requests. */
  async function resultOf(request: IncomingMessage, path: string): Promise<unknown> {
    const [, database] = /^\/d1\/database\/([^/]+)\/query$/.exec(path) ?? [];
    if (database !== undefined) return execute(database, query.parse(await json(request)).sql);
    if (path.startsWith("/d1/database?")) {
      return Object.entries(DATABASES).map(([stage, uuid]) => ({
        uuid,
        name: `citewell-subscriptions${stage === "staging" ? "-staging" : ""}`,
      }));
    }
    const [, name = "", rest = ""] = /^\/workers\/(?:scripts|services)\/([^/?]+)([^?]*)/.exec(path) ?? [];
    if (request.method !== "GET") changes.push(`${request.method} ${path.split("?")[0]}`);
    else if (name !== "" && !workers.has(name)) return undefined;
    if (rest === "/secrets") return workers.get(name)?.map((secret) => ({ name: secret, type: "secret_text" }));
    if (rest === "/versions" && request.method === "GET") return { items: versions.get(name) ?? [] };
    if (rest.startsWith("/versions/")) return versions.get(name)?.find(({ id }) => rest.endsWith(id));
    if (rest === "/deployments" && request.method === "GET") return { deployments: [] };
    if (rest === "/deployments") {
      changes.push(...deployment.parse(await json(request)).versions.map(({ version_id }) => `${name} ${version_id}`));
    }
    if (path.includes("/zones")) return [{ id: ID, name: "acme.com" }];
    if (path.includes("/domains/")) return [];
    if (rest === "/assets-upload-session") return { jwt: "e30.e30.e30", buckets: [] };
    if (path.startsWith("/workers/services/"))
      return { default_environment: { script: { last_deployed_from: "wrangler" } } };
    const script = { script: { etag: ID }, script_runtime: {} };
    return {
      id: ID,
      deployment_id: ID,
      startup_time_ms: 1,
      resources: script,
      enabled: false,
      previews_enabled: false,
    };
  }

  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").replace(`/client/v4/accounts/${ID}`, "");
    const refusal = { code: 10000, message: "Authentication error" };
    const result = account.refuses ? undefined : await resultOf(request, path).catch((error: Error) => error);
    const error =
      result instanceof Error
        ? { code: 7500, message: result.message }
        : { code: 10007, message: "This Worker does not exist on your account." };
    const failed = account.refuses || result === undefined || result instanceof Error;
    const errors = failed ? [account.refuses ? refusal : error] : [];
    response.writeHead(failed ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify({ success: !failed, errors, messages: [], result: failed ? null : result }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    versions,
    changes,
    execute,
    /** For a command. */
    env: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: ID,
      STRIPE_SECRET_KEY: "",
    },
    async dispose() {
      server.closeAllConnections();
      server.close();
      await d1.dispose();
    },
  };
}
