import type { MiddlewareHandler } from "hono";
import { isLoopback } from "../../../../app/contract/configuration";
import { isLocal } from "../../local-development";
import type { ApiContext } from "../context";
import { problem } from "../problem";

/** With the settings of local development, which a mistaken deployment could have, serves this machine alone. */
export const requireLocalHost: MiddlewareHandler<ApiContext> = async (c, next) => {
  if (isLoopback(c.req.url) || !isLocal(c.env)) return next();
  return problem(421, { title: "These are the settings of local development, which serve localhost alone" });
};
