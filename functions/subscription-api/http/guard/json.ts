import type { MiddlewareHandler } from "hono";
import type { ApiContext } from "../api-context";
import { problem } from "../problem";

/** Answers 415 unless the body is `application/json`, which another site's form cannot send. */
export const requireJson: MiddlewareHandler<ApiContext> = async (c, next) => {
  const mediaType = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  return mediaType === "application/json" ? next() : problem(415, { title: "The body must be application/json" });
};
