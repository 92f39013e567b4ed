import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { Miniflare } from "miniflare";
import { unstable_splitSqlQuery } from "wrangler";
import * as z from "zod";
import { DATABASES } from "../../support/filled-in-settings";
import { freePort } from "./free-port";

/** Cloudflare's API as Wrangler uses it, for one account. Its databases are D1, its Workers are names with secrets. */
export type StandIn = {
  /** Environment variables for a command. */
  env: NodeJS.ProcessEnv;
  account: Account;
  /** Method and path (after the account's) of each writing request, except D1 statements. */
  changes: string[];
  /** Runs SQL in the database of a stage. */
  query(stage: keyof typeof DATABASES, sql: string): Promise<void>;
  dispose(): Promise<void>;
};

export type Account = {
  /** Existing Workers with the names of their secrets. */
  workers: Map<string, string[]>;
  /** The ids of the databases. */
  databases: string[];
  /** Each Worker's versions, from deployments and changed secrets: https://developers.cloudflare.com/api/resources/workers/subresources/scripts/subresources/versions/ */
  versions: Map<string, Version[]>;
  hasSubdomain: boolean;
  knowsToken: boolean;
};

export type Version = { id: string; metadata: { created_on: string }; annotations: Record<string, string> };

export const SECRETS = {
  site: ["SESSION_SECRET"],
  api: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "OPERATOR_TOKEN", "LINK_SECRET", "HASH_SECRET"],
};

const ACCOUNT_ID = "0123456789abcdef0123456789abcdef";
const VERSION = "11111111-1111-4111-8111-111111111111";
const query = z.object({ sql: z.string() });

const deployment = z.object({ versions: z.array(z.object({ version_id: z.string() })) });
const rolledBackTo = (body: unknown) => deployment.parse(body).versions.map(({ version_id }) => version_id);

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export async function startCloudflare(change: Partial<Account> = {}): Promise<StandIn> {
  const account: Account = {
    workers: new Map(
      ["", "-staging"].flatMap((stage) => [
        [`citewell-site${stage}`, SECRETS.site],
        [`citewell-subscription-api${stage}`, SECRETS.api],
      ]),
    ),
    databases: Object.values(DATABASES),
    versions: new Map(),
    hasSubdomain: true,
    knowsToken: true,
    ...change,
  };
  const ids = Object.values(DATABASES);
  const databases = new Miniflare({ modules: true, script: "export default {}", d1Databases: ids });
  const changes: string[] = [];

  /** The response's `result`; undefined for requests without an effect on the tests. */
  async function answer(request: IncomingMessage, path: string): Promise<unknown> {
    if (!account.knowsToken) throw new Refusal(403, 10000, "Authentication error");
    const [, id] = /^\/d1\/database\/([^/]+)\/query$/.exec(path) ?? [];
    if (id !== undefined) {
      if (!account.databases.includes(id)) {
        throw new Refusal(404, 7404, `The database ${id} could not be found`);
      }
      const { sql } = query.parse(await json(request));
      return execute(await databases.getD1Database(id), sql);
    }
    const [, name = "", rest = ""] = /^\/workers\/(?:scripts|services)\/([^/?]+)([^?]*)/.exec(path) ?? [];
    const isThere = account.workers.has(name);
    if (request.method !== "GET") changes.push(`${request.method} ${path.split("?")[0]}`);
    if (["PUT ", "POST /versions"].includes(`${request.method} ${rest}`)) {
      if (!account.hasSubdomain) throw new Refusal(403, 10063, "You need a workers.dev subdomain in order to proceed.");
      if (!isThere) account.workers.set(name, []);
    } else if (name !== "" && !isThere && request.method === "GET") {
      throw new Refusal(404, 10007, "This Worker does not exist on your account.");
    }
    if (rest === "/secrets") return account.workers.get(name)?.map((secret) => ({ name: secret, type: "secret_text" }));
    if (rest === "/deployments" && request.method === "GET") return { deployments: [] };
    if (rest === "/versions" && request.method === "GET") return { items: account.versions.get(name) ?? [] };
    if (rest.startsWith("/versions/")) return account.versions.get(name)?.find(({ id }) => rest.endsWith(id));
    if (rest === "/deployments") changes.push(...rolledBackTo(await json(request)).map((id) => `${name} ${id}`));
    if (path.startsWith("/d1/database?"))
      return Object.entries(DATABASES).map(([stage, uuid]) => ({ uuid, name: nameOf(stage) }));
    if (path.endsWith("/email/sending")) return { name: "acme.com", enabled: true, status: "ready" };
    if (path.includes("/zones")) return path.includes("name=acme.com") ? [{ id: ACCOUNT_ID, name: "acme.com" }] : [];
    if (path.includes("/domains/")) return [];
    if (rest === "/assets-upload-session") return { jwt: "e30.e30.e30", buckets: [] };
    if (path.startsWith("/workers/services/"))
      return { default_environment: { script: { last_deployed_from: "wrangler" } } };
    const resources = { script: { etag: VERSION }, script_runtime: {} };
    return {
      id: VERSION,
      deployment_id: VERSION,
      startup_time_ms: 1,
      resources,
      enabled: false,
      previews_enabled: false,
    };
  }

  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").replace(`/client/v4/accounts/${ACCOUNT_ID}`, "");
    const { status, body } = await answer(request, path).then(
      (result) => ({ status: 200, body: { success: true, errors: [], messages: [], result } }),
      (error: unknown) => {
        const { code, message, status } = error instanceof Refusal ? error : new Refusal(400, 7500, String(error));
        return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } };
      },
    );
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    account,
    changes,
    async query(stage, sql) {
      await execute(await databases.getD1Database(DATABASES[stage]), sql);
    },
    env: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID,
      STRIPE_SECRET_KEY: "",
    },
    async dispose() {
      server.closeAllConnections();
      server.close();
      await databases.dispose();
    },
  };
}

const nameOf = (stage: string) => `citewell-subscriptions${stage === "staging" ? "-staging" : ""}`;

/** All statements, as D1's API takes them. */
async function execute(database: D1Database, sql: string): Promise<unknown> {
  const statements = unstable_splitSqlQuery(sql).map((statement) => database.prepare(statement));
  const results = await database.batch(statements);
  return results.map(({ results: rows, success, meta }) => ({ results: rows, success, meta }));
}
