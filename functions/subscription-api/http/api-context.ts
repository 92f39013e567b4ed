import type { Config } from "../config";
import type { Services } from "../services";

export type ApiContext = {
  Variables: {
    config: Config;
    services: Services;
    requestId: string;
    /** The visitor's rate limit key: an IP address, or its /64. */
    rateLimitKey: string;
    dispatchAfterResponse: () => void;
  };
};
