import type { ExecutionContext } from "../../../app/edge/request-context.server";
import site from "../../../functions/site";

/** The site with one fault put in: its rate limiters fail. */
const limiter = {
  async limit(): Promise<never> {
    throw new Error("words-of-the-error");
  },
};

export default {
  fetch: (request: Request, env: object, execution: ExecutionContext) =>
    site.fetch(request, { ...env, SIGNUP_RATE_LIMIT: limiter, CSP_REPORT_RATE_LIMIT: limiter }, execution),
};
