import { expect, test, vi } from "vitest";
import { newMessage } from "../../../../functions/subscription-api/outbox/outbox";
import { advance, advanceToCardForm } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { DAY } from "../../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../../support/clock";
import { signUpsInProcess } from "../sign-ups/sign-ups";

/* An email about a used card may reach a stranger: three a day for each card, and one for each sign-up. */

stopClock();

/** An API in which these cards have had a trial. */
async function withUsedCards(...cards: string[]) {
  const api = signUpsInProcess({ onePerPerson: true });
  for (const card of cards) await api.onTrial({ email: `${card}-owner@example.com` }, card);
  return {
    ...api,
    /** A new sign-up enters a card. */
    async enterUsedCard(card: string) {
      const signUp = await api.pending({ email: `${crypto.randomUUID()}@example.com` });
      api.enterCard(signUp, card);
      await advance(signUp, api.services);
      return signUp.id;
    },
    /** The same sign-up enters another card that was used. */
    async enterAnother(id: string, card: string) {
      const { signUp } = await advanceToCardForm(await api.find(id), api.services);
      if (!signUp) throw new Error("The sign-up is gone");
      api.enterCard(signUp, card);
      await advance(signUp, api.services);
    },
    emails: () => api.rows("SELECT key FROM outbox WHERE kind = 'card-used'").length,
  };
}

test("a used card that twenty sign-ups enter one after the other causes three emails", async () => {
  const { enterUsedCard, emails } = await withUsedCards("card1");
  for (let each = 0; each < 20; each += 1) await enterUsedCard("card1");
  expect(emails()).toBe(3);
});

test("a used card that twenty sign-ups enter at the same moment causes three emails", async () => {
  const { enterUsedCard, emails } = await withUsedCards("card1");
  await Promise.all(Array.from({ length: 20 }, () => enterUsedCard("card1")));
  expect(emails()).toBe(3);
});

test("three emails are sent for each card", async () => {
  const { enterUsedCard, emails } = await withUsedCards("card1", "card2");
  for (let each = 0; each < 4; each += 1) await enterUsedCard("card1");
  await enterUsedCard("card2");
  expect(emails()).toBe(4);
});

test("a card has three emails again on the next day (UTC)", async () => {
  const { enterUsedCard, emails } = await withUsedCards("card1");
  for (let each = 0; each < 4; each += 1) await enterUsedCard("card1");
  vi.setSystemTime(NOW + DAY);
  for (let each = 0; each < 4; each += 1) await enterUsedCard("card1");
  expect(emails()).toBe(6);
});

test("a sign-up that enters a second used card gets no second email", async () => {
  const { enterUsedCard, enterAnother, emails } = await withUsedCards("card1", "card2");
  await enterAnother(await enterUsedCard("card1"), "card2");
  expect(emails()).toBe(1);
});

test("the emails of a card count although their sign-ups have entered another one since", async () => {
  const { enterUsedCard, enterAnother, emails } = await withUsedCards("card1", "card2");
  for (let each = 0; each < 3; each += 1) await enterAnother(await enterUsedCard("card1"), "card2");
  await enterUsedCard("card1");
  expect(emails()).toBe(3);
});

test.each([
  { version: "that was read", older: 0, emails: 1 },
  { version: "before the one in the table", older: 1, emails: 0 },
])("an email for the version of a sign-up $version is written: $emails", async ({ older, emails: written }) => {
  const { db, unknownToStripe, emails } = await withUsedCards();
  const { id, version } = await unknownToStripe({}, "version = 1");
  await newMessage(db, { kind: "card-used", card: "a hash" }, { id, version: version - older }).run();
  expect(emails()).toBe(written);
});
