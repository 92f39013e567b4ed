import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { startUpstream } from "../support/workers/upstream";
import { startStripeSimulator } from "../support/workers/workers";
import { connect } from "./world";

export const SIMULATED = {
  ...{ secretKey: "sk_test_local", publishableKey: "pk_test_local" },
  ...{ patienceMs: { events: 0, search: 0 }, perSecond: Number.POSITIVE_INFINITY },
};

/** The simulator can also fail on demand, move a day ahead, and deliver events to this machine. Stripe's test mode cannot. */
export type SimulatorWorld = Awaited<ReturnType<typeof startSimulatorWorld>>["world"];

/** Starts the simulator, with a receiver for its events. */
export async function startSimulatorWorld() {
  const receiver = await startUpstream();
  const simulator = await startStripeSimulator({ webhookUrl: receiver.url });
  const account = { ...SIMULATED, url: simulator.url };
  const { removeAll, ...world } = connect(account);
  const simulated = {
    ...world,
    /** Moves the account's own clock, which idempotency keys follow. */
    async moveAccountClock(seconds: number) {
      const body = new URLSearchParams({ seconds: String(seconds) });
      await fetch(`${simulator.url}/dashboard`, { method: "POST", body });
    },
    /** Makes Stripe fail a call, before or after its work, or refuse it. For `additionalHeaders`. */
    fault: (kind: "409" | "429" | "502" | "500-before" | "500-after") => ({ "simulator-fault": kind }),
    /**
     * Receives the events of a type that something causes. Refuses the first ones, and all until the cause is done. Returns each
     * delivery up to the first that is taken.
     */
    async deliveries(wanted: string, refused: number, cause: () => Promise<unknown>) {
      const found: { body: string; signature: string }[] = [];
      let isCaused = false;
      const taken = new Promise<void>((resolve) =>
        receiver.answers(async (response, { body, headers }) => {
          if (JSON.parse(body).type !== wanted) return answer(response, 204);
          found.push({ body, signature: String(headers["stripe-signature"]) });
          const isTaken = isCaused && found.length > refused;
          await answer(response, isTaken ? 204 : 500);
          if (isTaken) resolve();
        }),
      );
      await cause();
      isCaused = true;
      await taken;
      receiver.answers((response) => answer(response, 204));
      return found;
    },
  };
  const dispose = async () => {
    await simulator.dispose();
    receiver.dispose();
  };
  return { url: simulator.url, world: simulated, dispose };
}

async function answer(response: ServerResponse, status: number): Promise<void> {
  response.writeHead(status).end();
  await once(response, "close");
}
