import { Ajv2020 } from "ajv/dist/2020";
import { expect } from "vitest";
import * as z from "zod";
import { openApi } from "../../../functions/subscription-api/http/openapi";

const ANSWERS = z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()) }));

/** The API's description, as far as it is checked. */
export const description = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.object({ responses: ANSWERS }))) })
  .parse(openApi());

const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(openApi(), "openapi");

/** Fails if a described route gives an answer that is not described, or a 429 or 503 does not say when to try again. */
export async function expectDescribed({ method, url }: Request, response: Response): Promise<void> {
  const { status, headers } = response;
  if (status === 429 || status === 503) expect(headers.get("retry-after"), `Retry-After of ${status}`).toMatch(/^\d+$/);
  const path = new URL(url).pathname.replace(/^(\/subscription\/status\/)[^/]+$/, "$1{token}");
  const described = description.paths[path]?.[method.toLowerCase()];
  if (!described) return;
  const [type = ""] = Object.keys(described.responses[status]?.content ?? {});
  expect([path, status, headers.get("content-type")?.split(";")[0]]).toEqual([path, status, type]);
  const names = ["paths", path, method.toLowerCase(), "responses", String(status), "content", type, "schema"];
  const pointer = names.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  const body: unknown = await response.clone().json();
  ajv.validate({ $ref: `openapi#/${pointer}` }, body);
  expect(ajv.errors, JSON.stringify(body)).toBeNull();
}
