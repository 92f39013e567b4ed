import type { MiddlewareHandler } from "hono";
import { isLoopback, ONLY_THIS_MACHINE } from "../../../../app/shared/settings";
import { hasHost, isLocal } from "../../local-development";
import type { ApiContext } from "../api-context";
import { problem } from "../problem";

/** If local settings are deployed by mistake, they serve only this machine or the HOST of `npm start`. */
export const requireLocalHost: MiddlewareHandler<ApiContext> = async (c, next) => {
  if (isLoopback(c.req.url) || !isLocal(c.env) || hasHost(c.env)) return next();
  return problem(421, { title: ONLY_THIS_MACHINE });
};
