import { describe, expect, test } from "vitest";
import { PRICE_CHANGED } from "../../../app/contract/problem-types";
import { stopClock } from "../../support/clock";
import { fields, typed } from "../../support/person";
import { PLANS } from "../../support/plans";
import { post, type Site, siteContext } from "../../support/site-in-process/site-context";

/* A sign-up keeps the price that its form showed. */

stopClock();

/** STANDARD's, and a lower and a higher one that a form showed. */
const LIST_PRICE = PLANS.STANDARD.priceCents;
const [LOWER, HIGHER] = [LIST_PRICE - 1, LIST_PRICE + 1];
const shownTo = (site: Site) => new Headers(site.api.calls[0]?.init.headers).get("Subscription-Price-Cents");

async function submit(form: Record<string, string>, site = siteContext()) {
  return { ...(await post(site, { ...fields, ...form })), site };
}

describe("the API is told the price", () => {
  test("that the form shows, in a header and not in the sign-up", async () => {
    const { site } = await submit({ price_cents: String(LOWER) });
    expect(shownTo(site)).toBe(String(LOWER));
    expect(String(site.api.calls[0]?.init.body)).not.toMatch(RegExp(`price|${LOWER}`));
  });

  test.each(["", "free", "-1", "450.5", "1998.9999999999998", "1e4", "1".repeat(10)])(
    "only if it is one: %j",
    async (price_cents) => {
      const { site, status } = await submit({ price_cents });
      expect(status).toBe(303);
      expect(shownTo(site)).toBeNull();
    },
  );

  test("and the same form at another price is the same sign-up", async () => {
    const [first, second] = [
      await submit({ price_cents: String(LOWER) }),
      await submit({ price_cents: String(LIST_PRICE) }),
    ];
    const keyOf = ({ site }: { site: Site }) => new Headers(site.api.calls[0]?.init.headers).get("Idempotency-Key");
    expect(keyOf(second)).toBe(keyOf(first));
  });
});

describe("a sign-up keeps the price", () => {
  const SAID = { price_cents: LIST_PRICE + 2, currency: "usd" };

  test.each<{ name: string; form: Record<string, string>; api?: object; agreedPriceCents: number }>([
    { name: "that the API says", form: { price_cents: String(LOWER) }, api: SAID, agreedPriceCents: LIST_PRICE + 2 },
    {
      name: "that its form showed, if the API says none",
      form: { price_cents: String(HIGHER) },
      agreedPriceCents: HIGHER,
    },
    { name: "of the list, if neither says one", form: {}, agreedPriceCents: LIST_PRICE },
    {
      name: "that its form showed, if the API's is not in US cents",
      form: { price_cents: String(LOWER) },
      api: { ...SAID, currency: "eur" },
      agreedPriceCents: LOWER,
    },
    {
      name: "that its form showed, if the API's is not whole cents",
      form: { price_cents: String(LOWER) },
      api: { ...SAID, price_cents: 499.99 },
      agreedPriceCents: LOWER,
    },
  ])("$name", async ({ form, api, agreedPriceCents }) => {
    const site = siteContext();
    site.api.answer = () => Response.json({ client_secret: "seti_1_secret_1", ...api });
    expect((await submit(form, site)).session).toMatchObject({ state: "card", agreedPriceCents });
  });

  test("only with a plan", async () => {
    const site = siteContext();
    site.api.answer = () => Response.json({ client_secret: "seti_1_secret_1" });
    const { session } = await submit({ package_id: "", price_cents: String(LOWER) }, site);
    expect(session).toMatchObject({ state: "card" });
    expect(session).not.toHaveProperty("agreedPriceCents");
  });
});

describe("when the plan costs more than the form showed", () => {
  function siteWithHigherPrice() {
    const site = siteContext();
    const headers = { "Content-Type": "application/problem+json" };
    site.api.answer = () => Response.json({ type: PRICE_CHANGED, title: "…" }, { status: 409, headers });
    return site;
  }

  test("the form comes back with everything typed, the new price and a notice", async () => {
    const answer = await submit({ price_cents: String(LOWER) }, siteWithHigherPrice());
    expect(answer).toHaveStatus(409);
    expect(answer).toShowNotice("The price of this plan has changed", "Check the new price.");
    expect(answer.reply).toMatchObject({ form: { initialValue: typed }, currentPriceCents: LIST_PRICE });
  });

  test("no sign-up begins, and the form keeps its key for the next try", async () => {
    const { session, newNonce } = await submit({ price_cents: String(LOWER) }, siteWithHigherPrice());
    expect(session).toBeUndefined();
    expect(newNonce, "a new key for the form").toBe(false);
  });

  test("the log has a refused form, not a failure that would page someone", async () => {
    const { site } = await submit({ price_cents: String(LOWER) }, siteWithHigherPrice());
    expect(site.logged).toEqual([["signup_refused", { outcome: "price changed" }]]);
  });
});
