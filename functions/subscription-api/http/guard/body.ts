import type { MiddlewareHandler } from "hono";
import { readBoundedBytes } from "../../../../app/shared/bounded-body";
import type { ApiContext } from "../api-context";
import { problem } from "../problem";

const KIB = 1024;
/** Enough for 16 KB over a slow mobile connection. */
const DEADLINE_MS = 10_000;

/** Buffers the body: 413 if too long, 408 if too slow, 400 if incomplete. */
export function atMost(kib: number): MiddlewareHandler<ApiContext> {
  return async (c, next) => {
    const body = await readBoundedBytes(c.req.raw, { bytes: kib * KIB, milliseconds: DEADLINE_MS });
    switch (body.status) {
      case "too long":
        return problem(413, { title: `The body is larger than ${kib} KiB` });
      case "too slow":
        return problem(408, { title: "The body did not arrive in time" });
      case "aborted":
        return problem(400, { title: "The body is incomplete" });
      case "read":
        if (c.req.raw.body !== null) c.req.raw = new Request(c.req.raw, { body: body.bytes });
        return next();
    }
  };
}
