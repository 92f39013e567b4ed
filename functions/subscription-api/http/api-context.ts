import type { Config } from "../config";
import type { Services } from "../services";

export type ApiContext = {
  Variables: {
    config: Config;
    services: Services;
    requestId: string;
    /** Rate limit key of the visitor. */
    sender: string;
    dispatchAfterResponse: () => void;
  };
};
