import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { isLocal } from "../../local-development";
import type { ApiContext } from "../api-context";
import { problem } from "../problem";

const cfVisitor = z.object({ scheme: z.string() });

/** Refuses plain http outside local development. A redirect would come after the password was sent. */
export const requireTls: MiddlewareHandler<ApiContext> = async (c, next) => {
  if (isLocal(c.env) || (c.req.url.startsWith("https:") && visitorScheme(c.req.header("cf-visitor")) !== "http")) {
    return next();
  }
  return problem(403, { title: "Only https is allowed" });
};

/** https://developers.cloudflare.com/fundamentals/reference/http-headers/#cf-visitor */
function visitorScheme(header: string | undefined): string | undefined {
  try {
    return cfVisitor.parse(JSON.parse(header ?? "")).scheme;
  } catch {
    return undefined;
  }
}
