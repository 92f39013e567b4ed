import { Agent, setGlobalDispatcher } from "undici";

// A connection kept for the next request may have been closed by workerd meanwhile ("other side closed").
setGlobalDispatcher(new Agent({ pipelining: 0 }));
