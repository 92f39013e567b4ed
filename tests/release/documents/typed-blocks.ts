import { afterAll, beforeAll, expect, test } from "vitest";
import { LOCAL_SECRETS } from "../../../functions/subscription-api/local-development";
import { filledIn, filledInCompany } from "../../support/filled-in-settings";
import { signUp } from "../../support/visitors/visitor";
import { DEPLOYED as DEPLOYMENT, startBackend, startSite } from "../../support/workers/workers";
import { checkOut } from "../commands/checkout";
import { type HostAnswers, startCloudflare } from "../commands/cloudflare";
import { type Block, blocks, LEFT_OUT, TYPED } from "./shell-blocks";

/*
 * The shell blocks of README.md and docs/, typed in their order on a deployment with stand-ins for Cloudflare and Stripe. What a
 * block has in braces gets a value. Three test files share them out, so that they run at the same time.
 */

export const SECRET = "sk_live_0123456789abcdef";
/** Has signed up. */
export const ADA = "ada@example.com";
export const { OPERATOR_TOKEN } = LOCAL_SECRETS;
export const API_FILE = "functions/subscription-api/wrangler.toml";

const SITES = [
  { SITE_URL: "https://www.acme.com", STAGE: "production", STRIPE_PUBLISHABLE_KEY: "pk_live_0123456789abcdef" },
  { SITE_URL: "https://staging.acme.com", STAGE: "staging", STRIPE_PUBLISHABLE_KEY: "pk_test_0123456789abcdef" },
];
const LOCAL_ONLY = { STRIPE_JS_URL: undefined, STRIPE_API_URL: undefined };

export const uploaded = (name: string) => RegExp(`^(?:PUT .*/${name}|POST .*/${name}/versions)$`);
export const DEPLOYED = ["citewell-subscription-api", "citewell-site"].map(uploaded);
export const CHECKED = /✓ pages.*✓ site.*✓ form.*✓ subscription API.*✓ refusals.*✓ Stripe key/s;

type Plan = {
  before?: () => unknown;
  /** What the places in braces stand for. */
  values?: () => Record<string, string>;
  /** What is typed at the block's questions. */
  typed?: string;
  env?: NodeJS.ProcessEnv;
  /** What it changes at Cloudflare, among others. */
  changes?: RegExp[];
  says?: RegExp[];
};

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

/** A deployment for one test file, with Ada's sign-up. */
export async function startDeployment() {
  const backend = await startBackend();
  const sites = await Promise.all(
    SITES.map(async (own) => {
      const vars = { ...DEPLOYMENT, ...LOCAL_ONLY, SUBSCRIPTION_API_URL: "https://api.acme.com", ...own };
      return { origin: own.SITE_URL, worker: await startSite({ vars }) };
    }),
  );
  const hosts: Record<string, HostAnswers> = {
    ...Object.fromEntries(sites.map(({ origin, worker }) => [new URL(origin).host, through(worker.url, asOwnUrl)])),
    // The simulator knows only test keys.
    "api.stripe.com": through(backend.stripe.url, (headers) => {
      headers.set("authorization", String(headers.get("authorization")).replace("_live_", "_test_"));
    }),
  };
  const cloudflare = await startCloudflare(backend.api, hosts);
  const checkout = await checkOut();
  beforeAll(async () => {
    for (const file of ["wrangler.toml", API_FILE]) await checkout.change(file, filledIn);
    await checkout.change("app/company.ts", filledInCompany);
    checkout.commit();
    await signUp(backend.api, { email: ADA });
  });
  afterAll(() => {
    const workers = sites.map(({ worker }) => worker.dispose());
    return Promise.all([...workers, backend.dispose(), cloudflare.dispose(), checkout.dispose()]);
  });

  /** Runs a block as a whole, as it is pasted into a shell. */
  async function paste({ text }: Block, { values = () => ({}), typed = "", env: own }: Plan) {
    const known = values();
    const lines = text.split("\n").filter((line) => !(line.replace(/ *#.*/, "") in LEFT_OUT));
    const filled = lines.join("\n").replaceAll(/\{([^}]+)\}/g, (place, name) => known[name] ?? place);
    expect(filled, "places that this test has no value for").not.toMatch(/\{[^}]+\}/);
    cloudflare.changes.length = 0;
    const env = { ...cloudflare.env, OPERATOR_TOKEN, STRIPE_SECRET_KEY: SECRET, ...own };
    return checkout.type(filled, env, typed);
  }

  /** Tests the blocks of a file's sections. A block without a plan fails, and so does a plan without a block. */
  function testBlocks(file: keyof typeof TYPED, plans: Record<string, Plan[]>) {
    const rows = TYPED[file].flatMap((section) => {
      const ofSection = blocks.filter((block) => block.section === section);
      const count = Math.max(ofSection.length, plans[section]?.length ?? 0);
      return Array.from({ length: count }, (_, nth) => {
        const name = `${ofSection[nth]?.file}, "${section}", block ${nth + 1}`;
        return { name, block: ofSection[nth], plan: plans[section]?.[nth] };
      });
    });
    test.each(rows)("$name runs as it stands", async ({ block, plan }) => {
      if (!block) throw new Error("The documents have no such block.");
      if (!plan) throw new Error(`This test has no plan for the block:\n${block.text}`);
      await plan.before?.();
      const { output, exitCode } = await paste(block, plan);
      expect(exitCode, output).toBe(0);
      const left = [...cloudflare.changes];
      for (const change of plan.changes ?? []) {
        const index = left.findIndex((one) => change.test(one));
        expect(index, `${change} among the changes\n${cloudflare.changes.join("\n")}`).not.toBe(-1);
        left.splice(index, 1);
      }
      for (const sentence of plan.says ?? []) expect(output).toMatch(sentence);
      if (block.text.includes("run deploy"))
        expect(output, "wrong advice").not.toMatch(/WARNING|Please add|experimental/);
    });
  }

  return { backend, hosts, cloudflare, checkout, testBlocks };
}
