import { expect, test } from "vitest";
import { advance, advanceToCardForm } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";

/* Two sign-ups at once with one card or one address: whatever the order of their steps, only one gets a trial. */

stopClock();

type Second = { email: string; card: string };

/** The first one's steps are statements and calls; before one of them, the second goes its whole way. */
async function race(second: Second, before: number) {
  const steps: string[] = [];
  let comesBetween: (() => Promise<unknown>) | undefined;
  const step = async (name: string) => {
    if (comesBetween === undefined) return;
    const isTurn = steps.push(name) - 1 === before;
    if (!isTurn) return;
    const go = comesBetween;
    comesBetween = undefined;
    await go();
    comesBetween = async () => undefined;
  };
  const api = signUpsInProcess({
    onePerPerson: true,
    io: async (sql, effect) => {
      await step(sql.trim());
      return effect();
    },
  });
  const one = await api.pending({ email: "ada@example.com" });
  const other = await api.pending({ email: second.email });
  api.enterCard(one, "a card");
  api.enterCard(other, second.card);
  api.instead.set("", async (url, request) => {
    await step(`${request.method} ${url.pathname}`);
    return undefined;
  });
  comesBetween = () => advance(other, api.services);
  await advance(one, api.services);
  comesBetween = undefined;
  // Asked once more, as by the webhook's repetition.
  for (const { id } of [one, other]) await advance(await api.find(id), api.services);
  const trials = api.rows("SELECT email FROM sign_ups WHERE status = 'trialing'").length;
  return { steps, trials, subscriptions: api.model.all("subscription").length };
}

test.each<Second & { what: string }>([
  { what: "one card and two addresses", email: "bob@example.com", card: "a card" },
  { what: "two cards and one address", email: "ada@example.com", card: "another card" },
  { what: "two cards and one mailbox", email: "ada+2@example.com", card: "another card" },
])("two sign-ups at once with $what have one trial", async (second) => {
  const { steps } = await race(second, Infinity);
  expect(steps.length, "steps of the first").toBeGreaterThan(5);
  for (const [before, name] of steps.entries()) {
    const { trials, subscriptions } = await race(second, before);
    expect({ trials, subscriptions }, `the second came before: ${name}`).toEqual({ trials: 1, subscriptions: 1 });
  }
});

test("a used card that two requests see at the same moment counts once, although the form for another one is made between", async () => {
  let comesBetween: (() => Promise<unknown>) | undefined;
  const api = signUpsInProcess({
    onePerPerson: true,
    io: async (sql, effect) => {
      const go = sql.includes("UPDATE sign_ups") ? comesBetween : undefined;
      if (go) comesBetween = undefined;
      await go?.();
      return effect();
    },
  });
  await api.onTrial({ email: "somebody@else.example" }, "used");
  const signUp = await api.pending();
  api.enterCard(signUp, "used");
  comesBetween = () => advanceToCardForm(signUp, api.services);
  await advance(signUp, api.services);
  expect(await api.find(signUp.id)).toMatchObject({ status: "pending", used_cards: 1 });
});
