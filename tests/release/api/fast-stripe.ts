import { startUpstream, type UpstreamCall } from "../../support/workers/upstream";

/** A stand-in for Stripe that knows every sign-up of `insertSignUps` and answers at once, or as slowly as a test says. */
export type FastStripe = {
  url: string;
  /** Method and path of each call, in order. */
  calls: string[];
  /** The most calls that waited for their answer at one time. */
  mostAtOnce: () => number;
  /** Sign-ups whose card is set up, by their number. */
  cardsSetUp: Set<number>;
  /** Milliseconds until a call is answered; Infinity for never. */
  delay: (by: (call: string) => number) => void;
  forgetCalls: () => void;
  dispose: () => void;
};

/** The id of the nth sign-up of `insertSignUps`. */
export const signUpId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

export async function startFastStripe(): Promise<FastStripe> {
  const upstream = await startUpstream();
  const calls: string[] = [];
  const cardsSetUp = new Set<number>();
  let delayOf: (call: string) => number = () => 0;
  let waiting = 0;
  let mostAtOnce = 0;
  let made = 0;

  function answerTo({ method, url }: UpstreamCall): object {
    const path = url.replace(/\?.*/, "");
    if (path === "/v1/setup_intents") made += 1;
    const setupIntent = (id: string, status: string) => {
      const n = Number(id.split("_")[1]);
      const isSetUp = status === "requires_payment_method" && cardsSetUp.has(n);
      return {
        id,
        client_secret: `${id}_secret_x`,
        customer: `cus_${n}`,
        metadata: { sign_up_id: signUpId(n) },
        status: isSetUp ? "succeeded" : status,
        payment_method: isSetUp ? { id: "pm_1", card: { fingerprint: "print" } } : null,
      };
    };
    const id = path.split("/")[3] ?? "";
    if (path.endsWith("/cancel")) return setupIntent(id, "canceled");
    if (path.startsWith("/v1/setup_intents"))
      return setupIntent(id || `seti_${900_000 + made}`, "requires_payment_method");
    if (method === "DELETE") return { id, deleted: true };
    if (path.startsWith("/v1/customers") && method === "POST") return { id: id || `cus_${900_000 + made}` };
    if (path === "/v1/subscriptions" && method === "POST") {
      return {
        id: `sub_${crypto.randomUUID()}`,
        status: "trialing",
        trial_end: Math.floor(Date.now() / 1000) + 432_000,
      };
    }
    return { data: [] };
  }

  upstream.answers(async (response, call) => {
    const line = `${call.method} ${call.url}`;
    calls.push(line);
    waiting += 1;
    mostAtOnce = Math.max(mostAtOnce, waiting);
    const delay = delayOf(line);
    if (delay === Infinity) return;
    await new Promise((resolve) => setTimeout(resolve, delay));
    waiting -= 1;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answerTo(call)));
  });
  return {
    url: upstream.url,
    calls,
    mostAtOnce: () => mostAtOnce,
    cardsSetUp,
    delay: (by) => {
      delayOf = by;
    },
    forgetCalls: () => {
      calls.length = 0;
      waiting = 0;
      mostAtOnce = 0;
    },
    dispose: upstream.dispose,
  };
}
