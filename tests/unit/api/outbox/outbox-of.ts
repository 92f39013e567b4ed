import { vi } from "vitest";
import { dispatchMessages } from "../../../../functions/subscription-api/outbox/dispatch";
import type { MessageKind } from "../../../../functions/subscription-api/outbox/outbox";
import { NOW } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

export const ON_TRIAL = "status = 'trialing', trial_end = '2026-11-27T12:00:00.000Z'";

export const iso = (time: number) => new Date(time).toISOString();

/** An outbox about one sign-up without a plan, with messages that are due now. Each has its kind as its key. */
export async function outboxOf(columns: string, ...kinds: MessageKind[]) {
  const api = signUpsInProcess();
  const { rows, services } = api;
  const { id } = await api.unknownToStripe({}, `package_id = NULL, stripe_customer_id = 'cus_1', ${columns}`);
  const add = (kind: MessageKind, key: string = kind, due = NOW) => {
    const message = "INSERT INTO outbox (key, sign_up_id, kind, next_attempt_at, created_at)";
    rows(`${message} VALUES (?1, ?2, ?3, ?4, ?4)`, key, id, kind, iso(due));
  };
  for (const kind of kinds) add(kind);
  return {
    ...{ ...api, id, add, outbox: services.outbox },
    /** The first message's row. */
    row: () => rows("SELECT state, drop_reason, attempts, next_attempt_at, settled_at FROM outbox")[0],
    due: () => rows("SELECT key FROM outbox WHERE state = 'due' ORDER BY key").map(({ key }) => key),
    dispatch: (changed: Partial<typeof services> = {}) => dispatchMessages({ ...services, ...changed }),
    async lease(kind: MessageKind) {
      const [message] = await services.outbox.take([kind], 1);
      if (!message) throw new Error(`No message is due of the kind ${kind}`);
      return message;
    },
    /** The requests that the email provider and the console got. */
    received: () =>
      vi.mocked(fetch).mock.calls.flatMap(([url, init]) => {
        const to = /(emails|webhook)$/.exec(String(url))?.[0];
        return to ? [{ to, headers: new Headers(init?.headers), body: String(init?.body) }] : [];
      }),
  };
}
