import { afterEach, describe, expect, test, vi } from "vitest";
import { createSignUp } from "../../../../functions/subscription-api/sign-ups/create-sign-up";
import { PaymentsError } from "../../../../functions/subscription-api/stripe/client";
import type { SetupIntent } from "../../../../functions/subscription-api/stripe/setup-intents";
import { signUpsInMemory } from "../../../support/database/sign-ups-in-memory";
import { cardSetUp } from "../../../support/stripe/payments-in-memory";
import { validRequest } from "../../../support/visitors/visitor";

const KEY = "the-key";
const CREATED = { status: "created", clientSecret: "seti_1_secret" };
const TRIALING = "status = 'trialing', trial_end = '2026-11-27T12:00:00.000Z'";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A sign-up under the key that waits for its card, and what sends its form again. */
async function accepted(columns = "status = 'pending'") {
  const all = signUpsInMemory();
  const first = await createSignUp(validRequest, KEY, all.services);
  if (first.status !== "created") throw new Error("The sign-up was not accepted");
  all.rows(`UPDATE sign_ups SET ${columns}`);
  all.stripe.calls.length = 0;
  const { id } = first.signUp;
  return { ...all, id, first, row: () => all.find(id), again: () => createSignUp(validRequest, KEY, all.services) };
}

describe("two forms at the same time under one key", () => {
  const atOnce = async (password: string) => {
    const { services, rows } = signUpsInMemory();
    const forms = [validRequest, { ...validRequest, password }];
    const results = await Promise.all(forms.map((form) => createSignUp(form, KEY, services)));
    return { results, stored: rows("SELECT id FROM sign_ups") };
  };

  test("make one sign-up, and both get its client secret", async () => {
    const { results, stored } = await atOnce(validRequest.password);
    expect(results).toMatchObject([CREATED, CREATED]);
    expect(stored).toHaveLength(1);
  });

  test("with two passwords make one sign-up: the second is told that the key was used", async () => {
    const { results, stored } = await atOnce("Another-3ngine");
    expect(results).toMatchObject([CREATED, { status: "key-reused" }]);
    expect(stored).toHaveLength(1);
  });
});

describe("a form that is sent again", () => {
  test("continues the sign-up that waits for its card", async () => {
    const { again, first } = await accepted();
    expect(await again()).toMatchObject({ ...CREATED, signUp: { id: first.signUp.id } });
  });

  test("is a duplicate where the e-mail has had its trial with another sign-up meanwhile", async () => {
    const { again, signUpWith, stripe } = await accepted();
    await signUpWith(TRIALING);
    expect(await again()).toEqual({ status: "duplicate" });
    expect(stripe.calls).toEqual([]);
  });

  test("gets the client secret of its own trial", async () => {
    const { again } = await accepted(TRIALING);
    expect(await again()).toMatchObject(CREATED);
  });

  test("starts the trial of a card that no event has told of, and asks Stripe for each thing once", async () => {
    const { id, again, row, stripe } = await accepted();
    stripe.add(cardSetUp(1, id));
    expect(await again()).toMatchObject(CREATED);
    expect((await row()).status).toBe("trialing");
    expect(stripe.calls).toEqual([
      "retrieveSetupIntent seti_1",
      "setDefaultCard cus_1 pm_1",
      "findOrCreateSubscription cus_1 price_standard",
    ]);
  });

  test("begins anew where the end of its sign-up was begun at Stripe alone", async () => {
    const { id, again, rows, stripe } = await accepted();
    await stripe.payments.cancelSetupIntent("seti_1");
    expect(await again()).toEqual({ status: "ended" });
    expect(stripe.calls.slice(1)).toEqual(["retrieveSetupIntent seti_1", "deleteCustomer cus_1"]);
    expect(rows("SELECT id FROM sign_ups")).toEqual([]);
    expect(await again()).toMatchObject({ status: "created", clientSecret: "seti_2_secret" });
    expect(rows("SELECT id FROM sign_ups")).not.toEqual([{ id }]);
  });

  test("gets the secret of its trial also where Stripe has canceled the setup intent since", async () => {
    const { id, again, row, stripe } = await accepted(TRIALING);
    await stripe.payments.cancelSetupIntent("seti_1");
    expect(await again()).toMatchObject({ ...CREATED, signUp: { id } });
    expect((await row()).status).toBe("trialing");
  });

  test("is a duplicate where its card comes after five that failed, and the sign-up ends [H3]", async () => {
    const { id, again, row, stripe } = await accepted("declined_cards = 5");
    stripe.add(cardSetUp(1, id));
    expect(await again()).toEqual({ status: "duplicate" });
    expect((await row()).status).toBe("superseded");
    expect(stripe.calls).toContain("detachCard pm_1");
  });
});

describe("a form that is sent again a day later", () => {
  /** Five minutes before it is abandoned. */
  const LATE = 24 * 60 * 60_000 - 5 * 60_000;
  const ageColumns = (milliseconds: number) =>
    `created_at = '${new Date(Date.now() - milliseconds).toISOString()}', status = 'pending'`;

  test("continues its sign-up until five minutes before", async () => {
    const { again, id } = await accepted(ageColumns(LATE - 10_000));
    expect(await again()).toMatchObject({ ...CREATED, signUp: { id } });
  });

  test.each([
    ["has a setup intent", "", ["findSetupIntent seti_1", "cancelSetupIntent seti_1", "deleteCustomer cus_1"]],
    ["has none", ", stripe_setup_intent_id = NULL", ["deleteCustomer cus_1"]],
  ])("begins another one, since its own may be deleted at any moment: it %s", async (_, columns, calls) => {
    const { again, rows, stripe } = await accepted(ageColumns(LATE) + columns);
    expect(await again()).toEqual({ status: "ended" });
    expect(stripe.calls).toEqual(calls);
    expect(rows("SELECT id FROM sign_ups")).toEqual([]);
    expect(await again()).toMatchObject({ status: "created", clientSecret: "seti_2_secret" });
  });

  test("starts the trial where its card is set up", async () => {
    const { id, again, row, stripe } = await accepted(ageColumns(LATE));
    stripe.add(cardSetUp(1, id));
    expect(await again()).toMatchObject({ ...CREATED, signUp: { id } });
    expect((await row()).status).toBe("trialing");
  });

  test("is a duplicate where its card comes after five that failed", async () => {
    const { id, again, row, stripe } = await accepted(`${ageColumns(LATE)}, declined_cards = 5`);
    stripe.add(cardSetUp(1, id));
    expect(await again()).toEqual({ status: "duplicate" });
    expect((await row()).status).toBe("superseded");
  });
});

describe("another form of an e-mail with an earlier sign-up", () => {
  const ANOTHER = "another-key";

  test("is taken without a question to Stripe where that has no setup intent", async () => {
    const { services, signUpWith, stripe } = signUpsInMemory();
    await signUpWith("stripe_setup_intent_id = NULL");
    expect(await createSignUp(validRequest, ANOTHER, services)).toMatchObject({ status: "created" });
    expect(stripe.calls).toEqual(["findOrCreateCustomer", "findOrCreateSetupIntent cus_1"]);
  });

  test.each<[string, (setupIntents: Map<string, SetupIntent>) => void]>([
    ["has its setup intent open", () => {}],
    ["has lost its setup intent", (setupIntents) => setupIntents.delete("seti_1")],
  ])("is taken where Stripe %s", async (_, change) => {
    const { services, stripe, row } = await accepted();
    change(stripe.setupIntents);
    expect(await createSignUp(validRequest, ANOTHER, services)).toMatchObject({ status: "created" });
    expect(stripe.calls[0]).toBe("findSetupIntent seti_1");
    expect((await row()).status).toBe("pending");
  });

  test("is a duplicate where that one's card is set up: its trial starts", async () => {
    const { id, services, row, stripe } = await accepted();
    stripe.add(cardSetUp(1, id));
    expect(await createSignUp(validRequest, ANOTHER, services)).toEqual({ status: "duplicate" });
    expect((await row()).status).toBe("trialing");
  });
});

describe("where Stripe", () => {
  const refusing = async (error: Error) => {
    const { services, stripe, rows } = signUpsInMemory();
    vi.spyOn(stripe.payments, "findOrCreateCustomer").mockRejectedValue(error);
    return { created: createSignUp(validRequest, KEY, services), stored: () => rows("SELECT id FROM sign_ups").length };
  };

  test("does not take the e-mail address, the visitor is told, and nothing is kept [G13]", async () => {
    const { created, stored } = await refusing(new PaymentsError("email-refused"));
    expect(await created).toEqual({ status: "email-refused" });
    expect(stored()).toBe(0);
  });

  test.each([
    ["is down", new PaymentsError("unavailable")],
    ["fails", new PaymentsError("failed")],
    ["is still at it", new PaymentsError("in-progress")],
    ["answers what makes no sense", new PaymentsError("unexpected-answer")],
    ["is not what failed", new TypeError("A fault of our own")],
  ])("%s, the error is thrown, and the sign-up waits for another try", async (_, error) => {
    const { created, stored } = await refusing(error);
    await expect(created).rejects.toBe(error);
    expect(stored()).toBe(1);
  });
});
