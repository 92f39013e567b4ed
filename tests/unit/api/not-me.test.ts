import { expect, test } from "vitest";
import { advance } from "../../../functions/subscription-api/sign-ups/advance";
import { emailConfirmed } from "../../../functions/subscription-api/sign-ups/transitions";
import { stopClock } from "../../support/api-in-process/clock";
import { signUpsInProcess } from "../../support/api-in-process/sign-ups";

/* "This wasn't me": the subscription always ends at once; whether the address is free depends on its history. */

stopClock(Date.parse("2026-11-22T12:00:00.000Z"));

type Api = ReturnType<typeof signUpsInProcess>;

const email = "ada@example.com";
const confirmEmail = ({ services }: Api, id: string) => services.signUps.change(id, emailConfirmed);
const isFree = async ({ services }: Api) => !(await services.signUps.hasHadTrial(services.claims.emailsOf(email)));
const subscriptionOf = (api: Api) => api.model.all("subscription").at(-1);

async function disown(api: Api, id: string) {
  await advance(await api.find(id), api.services, "not-me");
  const told = api.messages().map(({ kind }) => kind);
  return {
    row: await api.find(id),
    isFree: await isFree(api),
    isSupportTold: told.includes("not-me-reported"),
    isConsoleTold: told.includes("account-closed"),
  };
}

test.each<[what: string, isFree: boolean, isSupportTold: boolean, (api: Api, id: string) => unknown]>([
  ["of which nobody has heard", true, false, () => undefined],
  ["whose address was confirmed", false, true, (api, id) => confirmEmail(api, id)],
  [
    "that was paid",
    false,
    true,
    (api) => {
      const subscription = subscriptionOf(api);
      if (subscription) api.model.become(subscription, "active");
    },
  ],
  ["that was canceled", false, false, (api) => Object.assign(subscriptionOf(api) ?? {}, { status: "canceled" })],
  [
    "that was canceled for later",
    false,
    false,
    (api) => Object.assign(subscriptionOf(api) ?? {}, { cancel_at_period_end: true }),
  ],
])("after the report of a trial %s the address is free: %s; support decides: %s", async (_, isFree, isTold, happen) => {
  const api = signUpsInProcess({ onePerPerson: true });
  const { id, stripe_setup_intent_id } = await api.onTrial();
  await happen(api, id);
  const after = await disown(api, id);
  expect(after).toMatchObject({ isFree, isSupportTold: isTold, isConsoleTold: true });
  expect(after.row).toMatchObject({ status: "canceled", end_reason: "not-me", check_at: null });
  expect(subscriptionOf(api)?.status).toBe("canceled");
  // No refund without a person.
  expect(api.calls.filter((call) => call.includes("refund"))).toEqual([]);
  const card = api.model.get(api.model.get(stripe_setup_intent_id)?.payment_method);
  expect(card?.customer).toBeNull();
});

test("an address is freed once; the card that was used stays used", async () => {
  const api = signUpsInProcess({ onePerPerson: true });
  const first = await api.onTrial({ email: "ada+1@example.com" }, "a card");
  expect(await disown(api, first.id)).toMatchObject({ isFree: true });
  const again = await api.pending({ email: "ada+2@example.com" });
  api.enterCard(again, "a card");
  await advance(again, api.services);
  expect(await api.find(again.id)).toMatchObject({ status: "pending", used_cards: 1 });
  const second = await api.onTrial({ email }, "another card");
  expect(await disown(api, second.id)).toMatchObject({ isFree: false });
});

test("a report that is interrupted after Stripe's cancellation still frees the address, whoever told of it meanwhile", async () => {
  const api = signUpsInProcess();
  const { id } = await api.onTrial();
  api.instead.set("GET setup_intents", () => {
    throw new TypeError("fetch failed");
  });
  await expect(disown(api, id)).rejects.toThrow();
  api.instead.clear();
  await advance(await api.find(id), api.services);
  expect(await api.find(id)).toMatchObject({ status: "canceled", end_reason: null });
  expect(await disown(api, id)).toMatchObject({ isFree: true, isConsoleTold: true });
});

test("a report while the trial starts is heard: it starts, and ends", async () => {
  const api = signUpsInProcess();
  const signUp = await api.pending();
  api.enterCard(signUp);
  api.instead.set("POST subscriptions", async () => {
    api.instead.clear();
    await advance(await api.find(signUp.id), api.services, "not-me");
    return undefined;
  });
  await advance(signUp, api.services);
  expect(await api.find(signUp.id)).toMatchObject({ status: "canceled", end_reason: "not-me" });
  expect(api.model.all("subscription").map(({ status }) => status)).toEqual(["canceled"]);
});

test("an address is confirmed once, and never after the end", async () => {
  const api = signUpsInProcess();
  const { id } = await api.onTrial();
  const first = await confirmEmail(api, id);
  expect(await confirmEmail(api, id)).toEqual(first);
  expect(api.messages().filter(({ kind }) => kind === "email-verified")).toHaveLength(1);
  const other = await api.onTrial({ email: "other@example.com" }, "other");
  await advance(other, api.services, "not-me");
  expect(await confirmEmail(api, other.id)).toMatchObject({ email_verified_at: null });
  expect(await confirmEmail(api, "none")).toBeNull();
});
