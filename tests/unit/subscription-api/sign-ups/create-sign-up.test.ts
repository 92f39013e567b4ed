import { describe, expect, test, vi } from "vitest";
import { createSignUp } from "../../../../functions/subscription-api/sign-ups/create-sign-up";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";
import { answer, refusal } from "../../../support/api-in-process/stripe-model";
import { validRequest } from "../../../support/visitors/visitor";

const KEY = "the-key";
const TRIALING = "status = 'trialing', trial_end = '2026-11-27T12:00:00.000Z'";

/** A sign-up under the key that waits for its card, and what sends its form again. */
async function accepted(columns = "status = 'pending'") {
  const all = signUpsInProcess({ onePerPerson: true });
  const first = await createSignUp(validRequest, KEY, all.services);
  if (first.status !== "created") throw new Error("The sign-up was not accepted");
  const { id } = first.signUp;
  const signUp = await all.change(id, columns);
  all.calls.length = 0;
  const row = async () => (await all.find(id)).status;
  const again = () => createSignUp(validRequest, KEY, all.services);
  const created = { status: "created", clientSecret: first.clientSecret, signUp: { id } };
  return { ...all, id, signUp, created, row, again };
}

describe("two concurrent forms with one idempotency key", () => {
  const atOnce = async (password: string) => {
    const { services, rows } = signUpsInProcess();
    const forms = [validRequest, { ...validRequest, password }];
    const results = await Promise.all(forms.map((form) => createSignUp(form, KEY, services)));
    return { results, stored: rows("SELECT id FROM sign_ups") };
  };

  test("create one sign-up, and both get its client secret", async () => {
    const { results, stored } = await atOnce(validRequest.password);
    const clientSecret = expect.stringMatching(/1_secret_1$/);
    expect(results).toMatchObject([
      { status: "created", clientSecret },
      { status: "created", clientSecret },
    ]);
    expect(stored).toHaveLength(1);
  });

  test("with two passwords create one sign-up; the second is told that the key was used", async () => {
    const { results, stored } = await atOnce("Another-3ngine");
    expect(results).toMatchObject([{ status: "created" }, { status: "key-reused" }]);
    expect(stored).toHaveLength(1);
  });
});

/** What the API answers to a form under the key. */
const post = (ask: ReturnType<typeof signUpsInProcess>["ask"], form: object, requestId = "a-request") =>
  ask("/subscription", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": KEY, "x-request-id": requestId },
    body: JSON.stringify(form),
  });

test.each<[keyof typeof validRequest, string | undefined]>([
  ["package_id", undefined],
  ["email", "grace@example.com"],
  ["phone", "2125550124"],
  ["company_name", "Engines"],
  ["full_name", "Ada King"],
  ["address", "13 St James's Square"],
  ["city", "Boston"],
  ["state", "MA"],
  ["zipCode", "10002"],
  ["country", "Canada"],
])(
  "the same key with another %s gives 422 without a client secret, and changes nothing [G5] [D2]",
  async (field, value) => {
    const { ask, rows, calls } = signUpsInProcess();
    expect((await post(ask, validRequest)).status).toBe(200);
    const [before, asked] = [rows("SELECT * FROM sign_ups"), calls.length];
    const refused = await post(ask, { ...validRequest, [field]: value });
    expect(refused.status).toBe(422);
    const title = "The Idempotency-Key was used for another request";
    expect(await refused.json()).toEqual({ type: "about:blank", status: 422, title });
    expect([rows("SELECT * FROM sign_ups"), calls]).toEqual([before, calls.slice(0, asked)]);
  },
);

test("a form sent again repeats the first request's ID at Stripe, so that Stripe's response is the same [G6]", async () => {
  const { ask, instead, model, sent } = signUpsInProcess();
  instead.set("POST setup_intents", () => {
    throw new TypeError("fetch failed");
  });
  expect((await post(ask, validRequest, "the-first")).status).toBe(503);
  const unanswered = sent.at(-1);
  instead.clear();
  expect((await post(ask, validRequest, "the-second")).status).toBe(200);
  expect(sent.at(-1)).toEqual(unanswered);
  for (const made of [...model.all("customer"), ...model.all("setup_intent")])
    expect(made.metadata.request_id).toBe("the-first");
});

describe("a form sent again", () => {
  test("continues the sign-up that waits for its card", async () => {
    const { again, created } = await accepted();
    expect(await again()).toMatchObject(created);
  });

  test("is a duplicate if its email address has since had a trial with another sign-up", async () => {
    const { again, unknownToStripe, calls } = await accepted();
    await unknownToStripe({}, TRIALING);
    expect(await again()).toEqual({ status: "duplicate" });
    expect(calls).toEqual([]);
  });

  test("starts the trial of a card without an event, with one Stripe call for each object", async () => {
    const { signUp, again, created, row, enterCard, calls } = await accepted();
    enterCard(signUp);
    expect(await again()).toMatchObject(created);
    expect(await row()).toBe("trialing");
    expect(calls).toEqual([
      `GET setup_intents/${signUp.stripe_setup_intent_id}`,
      `POST customers/${signUp.stripe_customer_id}`,
      "GET subscriptions",
      "POST subscriptions",
    ]);
  });

  test("begins again if its sign-up was ended at Stripe only", async () => {
    const { signUp, again, services, rows, model } = await accepted();
    await services.payments.cancelSetupIntent(signUp.stripe_setup_intent_id ?? "");
    expect(await again()).toEqual({ status: "ended" });
    expect(model.get(signUp.stripe_customer_id)).toMatchObject({ deleted: true });
    expect(rows("SELECT id FROM sign_ups")).toEqual([]);
    expect(await again()).toMatchObject({ status: "created" });
    expect(rows("SELECT id FROM sign_ups")).not.toEqual([{ id: signUp.id }]);
  });

  test("gets the client secret of its trial even if Stripe has canceled the setup intent", async () => {
    const { signUp, again, created, row, services } = await accepted(TRIALING);
    await services.payments.cancelSetupIntent(signUp.stripe_setup_intent_id ?? "");
    expect(await again()).toMatchObject(created);
    expect(await row()).toBe("trialing");
  });

  test("is a duplicate if its card comes after five declined ones, and the sign-up ends [H3]", async () => {
    const { signUp, again, row, enterCard, model } = await accepted("declined_cards = 5");
    enterCard(signUp);
    expect(await again()).toEqual({ status: "duplicate" });
    expect(await row()).toBe("ended");
    expect(model.all("payment_method")).toMatchObject([{ customer: null }]);
  });
});

describe("a form sent again a day later", () => {
  /** Five minutes before it is abandoned. */
  const LATE = 24 * 60 * 60_000 - 5 * 60_000;
  const ageColumns = (milliseconds: number) =>
    `created_at = '${new Date(Date.now() - milliseconds).toISOString()}', status = 'pending'`;

  test("continues its sign-up up to five minutes before its end", async () => {
    const { again, created } = await accepted(ageColumns(LATE - 10_000));
    expect(await again()).toMatchObject(created);
  });

  test.each([
    ["has a setup intent", "", true],
    ["has none", ", stripe_setup_intent_id = NULL", false],
  ])("starts a new sign-up if the old one is about to be deleted: it %s", async (_, columns, hasOne) => {
    const { again, signUp, rows, model, calls } = await accepted(ageColumns(LATE) + columns);
    expect(await again()).toEqual({ status: "ended" });
    const { stripe_setup_intent_id: setupIntentId, stripe_customer_id: customerId } = signUp;
    const canceled = [`GET setup_intents/${setupIntentId}`, `POST setup_intents/${setupIntentId}/cancel`];
    expect(calls).toEqual([...(hasOne ? canceled : []), `DELETE customers/${customerId}`]);
    expect(model.get(customerId)).toMatchObject({ deleted: true });
    expect(rows("SELECT id FROM sign_ups")).toEqual([]);
    expect(await again()).toMatchObject({ status: "created" });
  });

  test("starts the trial if its card is set up", async () => {
    const { signUp, again, created, row, enterCard } = await accepted(ageColumns(LATE));
    enterCard(signUp);
    expect(await again()).toMatchObject(created);
    expect(await row()).toBe("trialing");
  });

  test("is a duplicate if its card comes after five declined ones", async () => {
    const { signUp, again, row, enterCard } = await accepted(`${ageColumns(LATE)}, declined_cards = 5`);
    enterCard(signUp);
    expect(await again()).toEqual({ status: "duplicate" });
    expect(await row()).toBe("ended");
  });
});

describe("another form for the email address of an earlier sign-up", () => {
  const ANOTHER = "another-key";

  test("is accepted without querying Stripe if the earlier one has no setup intent", async () => {
    const { services, unknownToStripe, calls } = signUpsInProcess();
    await unknownToStripe();
    expect(await createSignUp(validRequest, ANOTHER, services)).toMatchObject({ status: "created" });
    expect(calls).toEqual(["POST customers", "POST setup_intents"]);
  });

  test.each([
    ["has its setup intent open", false],
    ["has lost its setup intent", true],
  ])("is accepted if Stripe %s", async (_, isLost) => {
    const { signUp, services, model, row, calls } = await accepted();
    if (isLost) model.objects.delete(signUp.stripe_setup_intent_id ?? "");
    expect(await createSignUp(validRequest, ANOTHER, services)).toMatchObject({ status: "created" });
    expect(calls[0]).toBe(`GET setup_intents/${signUp.stripe_setup_intent_id}`);
    expect(await row()).toBe("pending");
  });

  test("is a duplicate if the earlier one's card is set up, and that trial starts", async () => {
    const { signUp, services, row, enterCard } = await accepted();
    enterCard(signUp);
    expect(await createSignUp(validRequest, ANOTHER, services)).toEqual({ status: "duplicate" });
    expect(await row()).toBe("trialing");
  });
});

describe("if Stripe fails", () => {
  const sent = async (change: (all: ReturnType<typeof signUpsInProcess>) => unknown) => {
    const all = signUpsInProcess();
    change(all);
    const created = createSignUp(validRequest, KEY, all.services);
    return { created, stored: () => all.rows("SELECT id FROM sign_ups").length };
  };

  test("by refusing the email address, the visitor is told and nothing is stored [G13]", async () => {
    const { created, stored } = await sent(({ instead }) => instead.set("POST", refusal(400, "email_invalid")));
    expect(await created).toEqual({ status: "email-refused" });
    expect(stored()).toBe(0);
  });

  test.each([
    ["being down", "unavailable", refusal(429, "rate_limit")],
    ["failing", "failed", refusal(500, "api_error", "api_error")],
    ["being busy with the same request", "in-progress", refusal(409, "idempotency_key_in_use", "idempotency_error")],
    ["an invalid response", "unexpected-answer", answer(200, {})],
  ])("by %s, the error is thrown and the sign-up waits for a retry", async (_, reason, given) => {
    const { created, stored } = await sent(({ instead }) => instead.set("POST", given));
    await expect(created).rejects.toMatchObject({ name: "PaymentsError", reason });
    expect(stored()).toBe(1);
  });

  test("the error of another dependency is thrown all the same", async () => {
    const error = new TypeError("A fault of our own");
    const { created, stored } = await sent(({ services }) =>
      vi.spyOn(services.signUps, "recordCustomer").mockRejectedValue(error),
    );
    await expect(created).rejects.toBe(error);
    expect(stored()).toBe(1);
  });
});
