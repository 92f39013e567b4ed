import * as z from "zod";
import { parseJson } from "../../app/shared/http/parse-json";
import { isLoopback } from "../../app/shared/settings/settings";
import { botCheckAt, causeOf, ToolError } from "../failures";
import type { Neighbors } from "../neighbors";
import { portOf } from "../start/addresses";
import { readLocalSettings } from "../start/local-settings";
import { siteAloneLine, type Target, urlIn } from "../wrangler/worker-settings";

export type Api = { url: string; token: string; fetch?: Neighbors["fetch"] };

/** The API does not know the token, or nobody could. */
export class WrongToken extends ToolError {}

/** What a header can have; the API takes no shorter one. */
const TOKEN = /^[!-~]{32,}$/;

/** A part of a command's work takes seconds. */
const WITHIN_MS = 120_000;

type ApiNeighbors = Pick<Neighbors, "settingsOf" | "fetch" | "env">;

// For a deployment, throws ToolError without OPERATOR_TOKEN, and for a site that is deployed alone: nobody else gets the
// token or a person's email address.
export function apiOf(target: Target, { settingsOf, fetch, env }: ApiNeighbors): Api {
  if (target === "local") {
    const port = portOf(env);
    const { vars } = readLocalSettings(env, port);
    // The reference API that npm start runs, even if SUBSCRIPTION_API_URL leads the site to another one.
    return { url: `http://localhost:${port + 1}`, token: String(vars["subscription-api"].OPERATOR_TOKEN), fetch };
  }
  const { site, api } = settingsOf(target);
  if (api === undefined)
    throw new ToolError(`${siteAloneLine(site)} Only the reference API knows operators' commands.`);
  const token = env.OPERATOR_TOKEN?.trim();
  if (token && !TOKEN.test(token))
    throw new WrongToken("The variable OPERATOR_TOKEN is not a token: 32 or more plain characters, in one line.");
  if (token) return { url: urlIn(site, "SUBSCRIPTION_API_URL"), token, fetch };
  throw new ToolError(
    "Set the variable OPERATOR_TOKEN to the API's secret of that name: read -rs OPERATOR_TOKEN && export OPERATOR_TOKEN",
  );
}

/** Sends an operator's command, in several calls if the API asks for it. Returns the whole answer. Throws ToolError for a refusal. */
export async function callApi(api: Api, command: string, body: object = {}): Promise<unknown> {
  const parts = [await send(api, command, body)];
  for (let next = nextOf(parts[0]); next !== null; next = nextOf(parts.at(-1))) {
    parts.push(await send(api, command, { ...body, from: next }));
  }
  return parts.length === 1 ? parts[0] : sumOf(parts);
}

async function send({ url, token, fetch = globalThis.fetch }: Api, command: string, body: object): Promise<unknown> {
  const asked = fetch(`${url}/operator/${command}`, {
    method: "POST",
    // A deployment waits for Wrangler between two commands, and would reuse a connection that the API has closed by then.
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  const read = asked.then(async (response) => ({ response, text: await response.text() }));
  const { response, text } = await read.catch((error: unknown) => {
    const remedy = isLoopback(url) ? "run npm start in another terminal" : "check the network and SUBSCRIPTION_API_URL";
    throw new ToolError(`The API at ${new URL(url).host} cannot be reached (${causeOf(error)}): ${remedy}.`);
  });
  const botCheck = botCheckAt(url, response);
  if (botCheck !== undefined) throw new ToolError(botCheck);
  if (response.status === 401 || response.status === 404) {
    const Failure = response.status === 401 ? WrongToken : ToolError;
    throw new Failure(`The API answered ${response.status}: ${text} Is OPERATOR_TOKEN the API's secret of that name?`);
  }
  if (!response.ok) throw new ToolError(`The API answered ${response.status}: ${text}`);
  const answer = parseJson(text);
  if (answer !== undefined) return answer;
  throw new ToolError(`The API answered ${text.slice(0, 100) || "nothing"}: is SUBSCRIPTION_API_URL the API's URL?`);
}

/** Where the API continues work that it does in parts. */
function nextOf(answer: unknown): string | null {
  return z.object({ next: z.string() }).safeParse(answer).data?.next ?? null;
}

const part = z.record(z.string(), z.union([z.number(), z.string(), z.array(z.unknown()), z.null()]));

function sumOf(parts: unknown[]): Record<string, unknown> {
  const sum: Record<string, number | unknown[]> = {};
  for (const [name, value] of parts.flatMap((one) => Object.entries(part.parse(one)))) {
    const known = sum[name];
    if (Array.isArray(value)) sum[name] = [...(Array.isArray(known) ? known : []), ...value];
    else if (typeof value === "number") sum[name] = (typeof known === "number" ? known : 0) + value;
  }
  return sum;
}
