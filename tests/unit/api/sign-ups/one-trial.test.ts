import { expect, test } from "vitest";
import { advance, advanceToNotMe } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { trialHashes } from "../../../../functions/subscription-api/sign-ups/trial-hashes";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";

/* One trial for each address, mailbox and card; one "This wasn't me". */

stopClock();

const OPEN = { status: "pending", used_cards: 1 };
const REPLACED = { status: "ended", end_reason: "replaced" };
const TRIAL = { status: "trialing" };

test.each<[what: string, onePerPerson: boolean, first: [string, string], second: [string, string], outcome: object]>([
  ["the same address", false, ["ada@example.com", "1"], ["ada@example.com", "2"], REPLACED],
  ["the same address and card", true, ["ada@example.com", "1"], ["ada@example.com", "1"], REPLACED],
  ["another address, the same card", true, ["ada@example.com", "1"], ["bob@example.com", "1"], OPEN],
  ["another address, the same card", false, ["ada@example.com", "1"], ["bob@example.com", "1"], TRIAL],
  ["a plus tag", true, ["ada@example.com", "1"], ["ada+x@example.com", "2"], REPLACED],
  ["a plus tag", false, ["ada@example.com", "1"], ["ada+x@example.com", "2"], TRIAL],
  ["another plus tag", true, ["ada+y@example.com", "1"], ["ada+x@example.com", "2"], REPLACED],
  ["Gmail's dots", true, ["ada.l@gmail.com", "1"], ["adal@googlemail.com", "2"], REPLACED],
  ["dots elsewhere", true, ["ada.l@example.com", "1"], ["adal@example.com", "2"], TRIAL],
  ["a plus sign and no name", true, ["+a@example.com", "1"], ["+b@example.com", "2"], TRIAL],
  ["another person", true, ["ada@example.com", "1"], ["bob@example.com", "2"], TRIAL],
])("a second sign-up with %s, where each person has one trial: %s", async (_, onePerPerson, first, second, outcome) => {
  const { withCard } = signUpsInProcess({ onePerPerson });
  await withCard(...first);
  expect(await withCard(...second)).toMatchObject(outcome);
});

test("two forms with one address, a moment apart, have one trial: the claims decide", async () => {
  const { withCard, rows, model } = signUpsInProcess({ onePerPerson: false });
  await Promise.all(["card 1", "card 2"].map((card) => withCard("ada@example.com", card)));
  expect(rows("SELECT status FROM sign_ups ORDER BY status")).toEqual([{ status: "ended" }, { status: "trialing" }]);
  expect(model.all("subscription")).toHaveLength(1);
});

test.each([
  { order: [1, 2, 3], onePerPerson: false },
  { order: [2, 3, 1], onePerPerson: false },
  { order: [3, 1, 2], onePerPerson: true },
  { order: [2, 1, 2, 3, 1], onePerPerson: true },
])(
  "of three open sign-ups of one address whose cards are set up in the order $order, the first has the trial",
  async ({ order, onePerPerson }) => {
    const { pending, enterCard, services, find, model } = signUpsInProcess({ onePerPerson });
    const open = [await pending(), await pending(), await pending()];
    const inOrder = order.flatMap((nth) => open.slice(nth - 1, nth));
    for (const one of inOrder) {
      if ((await find(one.id)).status === "pending") enterCard(one, `the card of ${one.id}`);
      await advance(await find(one.id), services);
    }
    const ids = [...new Set(inOrder.map(({ id }) => id))];
    const outcomes = (await Promise.all(ids.map(find))).map(({ status, end_reason }) => end_reason ?? status);
    expect(outcomes, "in the order of their cards").toEqual(["trialing", "replaced", "replaced"]);
    expect(model.all("subscription")).toHaveLength(1);
  },
);

test.each([true, false])(
  "an address is freed by the first “This wasn’t me” and by no later one, where each person has one trial: %s",
  async (onePerPerson) => {
    const { withCard, find, services, model } = signUpsInProcess({ onePerPerson });
    const isUsed = () => services.signUps.hasHadTrial(services.trialHashes.ofEmail("ada@example.com"));
    const first = await withCard("ada@example.com", "a card");
    await advanceToNotMe(first, services);
    expect(await isUsed(), "after the first").toBe(false);
    const second = await withCard("ada@example.com", "another card");
    await advanceToNotMe(await find(first.id), services);
    expect(await isUsed(), "after the first sign-up's link is opened again").toBe(true);
    expect(await find(second.id)).toMatchObject(TRIAL);
    await advanceToNotMe(second, services);
    expect(await isUsed(), "after the second sign-up's link").toBe(true);
    expect(await withCard("ada@example.com", "a third card")).toMatchObject(REPLACED);
    expect(model.all("subscription").map(({ status }) => status)).toEqual(["canceled", "canceled"]);
  },
);

test("a mailbox is freed once by “This wasn’t me”, whatever the plus tag; the card that was used stays used", async () => {
  const { withCard, services } = signUpsInProcess({ onePerPerson: true });
  const isUsed = () => services.signUps.hasHadTrial(services.trialHashes.ofEmail("ada@example.com"));
  await advanceToNotMe(await withCard("ada+1@example.com", "a card"), services);
  expect(await isUsed()).toBe(false);
  expect(await withCard("ada+2@example.com", "a card")).toMatchObject(OPEN);
  await advanceToNotMe(await withCard("ada@example.com", "another card"), services);
  expect(await isUsed()).toBe(true);
});

test("an address's claims are freed whatever the setting was when they were made", () => {
  const hashSecret = "a-secret-of-this-test";
  const [persons, addresses] = [true, false].map((onePerPerson) => trialHashes({ hashSecret, onePerPerson }));
  const claimed = persons?.ofEmail("ada+x@example.com");
  expect(addresses?.secondTrialOf("ada+x@example.com").released).toEqual(claimed);
  expect(addresses?.ofEmail("ada@example.com")).not.toEqual(claimed?.slice(1));
});
