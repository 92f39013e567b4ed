import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { cookieBrowser } from "../../support/visitors/cookie-browser";
import { openPage } from "../../support/visitors/page";
import {
  type Answer,
  fields,
  logged,
  PASSWORD,
  SECRET,
  siteVisitor,
  withoutStyle,
} from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";
import { resets } from "../../support/workers/upstream";
import { startSite } from "../../support/workers/workers";

/* What the card step says, how long it is kept, and how it goes on elsewhere. */

const MINI_ID = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const MINI = `/subscription/${MINI_ID}`;
const FORM = "Subscription Information";
const CARD = "Please enter your card info for starting your 5 days free trial";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { upstream, site, visitor, dispose } = await startVisitedSite();
afterAll(dispose);

/** It is both the API and Stripe, which has no card yet. */
const answer = { client_secret: SECRET, id: "seti_1Sentinel", status: "requires_payment_method" };
beforeEach(() => upstream.answersJson(200, answer));

async function signedUp(change: Record<string, string> = {}) {
  const browser = cookieBrowser(visitor);
  await browser.signUp(MINI_ID, change);
  return browser;
}

const wordsOf = ({ text }: Answer) => text.replace(/<[^>]+>/g, "");
const secretIn = ({ body }: Answer) => /seti_\w+_secret_\w+/.exec(body)?.[0];

describe("the card step", () => {
  test("appears at each URL of the sign-up without another API call [D3]", async () => {
    const { cookie: Cookie } = await visitor.submit();
    upstream.calls.length = 0;
    for (const path of ["/subscription", `/subscription/${fields.package_id}`]) {
      const { status, text } = await visitor.get(path, { Cookie });
      expect(status).toBe(200);
      expect(text).toContain(CARD);
      expect(text).toContain("* You will not be charged immediately!");
      expect(text).not.toContain(FORM);
    }
    expect((await visitor.get("/subscription.data", { Cookie })).body).toContain(SECRET);
    expect(upstream.calls).toEqual([]);
  });

  test("without a publishable key says that it takes no card, and loads Stripe's script unless another is configured [N5] [N6]", async () => {
    const vars = { SUBSCRIPTION_API_URL: upstream.url, STRIPE_PUBLISHABLE_KEY: undefined, STRIPE_JS_URL: undefined };
    const keyless = await startSite({ vars });
    const stuck = siteVisitor(keyless);
    const { cookie: Cookie } = await stuck.submit();
    const { document, words, body } = await openPage(stuck, "/subscription", { Cookie });
    expect(words("[role=alert]")).toContain("Configuration Error");
    expect([...document.querySelectorAll("main button")].map(({ textContent }) => textContent)).toEqual([
      "Keep for 2 more hours",
      "Edit details",
      "Start over",
    ]);
    expect(body).toContain("https://js.stripe.com/");
    await keyless.dispose();
  });

  test("while Stripe cannot be reached the page says so, and checks again automatically without a script [S23]", async () => {
    const ada = await signedUp();
    upstream.answers(resets);
    await ada.post("intent=card-set-up", MINI);
    const { words, body } = await openPage(ada, MINI);
    expect(words("[role=status]")).toBe(
      "We haven't been able to confirm your card yet. Nothing is lost. This page checks automatically.",
    );
    expect(body).toMatch(/<noscript><meta http-?[eE]quiv="refresh" content="10"/);
  });
});

describe("the card step's time", () => {
  /** The times at which the card step says that it ends, without a script. */
  const endsIn = ({ text }: Answer) =>
    [...text.matchAll(/keep (?:it|your sign-up) until (?:<[^>]+>)?<time datetime="([^"]+)"/gi)].map(([, time]) =>
      Date.parse(time ?? ""),
    );

  test("is shown in UTC, with a warning ten minutes before its end and a button for two more hours [S29] [S30]", async () => {
    const ada = await signedUp();
    await ada.wait(109 * MINUTE);
    const early = await ada.get(MINI);
    expect(early.text).not.toContain("Your sign-up ends soon");
    expect(early.text).toMatch(/<time dateTime="[^"]+">[A-Z][a-z]+ \d+, \d{4} at \d+:\d\d [AP]M \(UTC\)<\/time>/);
    expect(Math.abs((endsIn(early)[0] ?? 0) - Date.now() - 11 * MINUTE)).toBeLessThan(MINUTE);
    await ada.wait(2 * MINUTE);
    const late = await ada.get(MINI);
    expect(late.text).toContain("Your sign-up ends soon");
    expect(late.text).toContain("Keep for 2 more hours");
    await ada.post("intent=extend", MINI);
    const kept = await ada.get(MINI);
    expect(kept.text).not.toContain("Your sign-up ends soon");
    expect(Math.abs((endsIn(kept)[0] ?? 0) - Date.now() - 2 * HOUR)).toBeLessThan(MINUTE);
    expect(secretIn(kept)).toBe(secretIn(late));
  });

  test("is 24 hours at most, and then offers no extension [S30]", async () => {
    const ada = await signedUp();
    for (let time = 0; time < 12; time += 1) {
      await ada.wait(2 * HOUR - MINUTE);
      await ada.post("intent=extend", MINI);
    }
    const { text } = await ada.get(MINI);
    expect(text).toContain("24 hours after you started, the longest we can keep it");
    expect(text).not.toContain("Keep for 2 more hours");
  });
});

describe("a link for another device", () => {
  const linkOf = async (browser: { get(path: string): Promise<Answer> }) => {
    const { text } = await browser.get(MINI);
    const { pathname, search } = new URL(/href="(https?:[^"]+\/subscription[^"?]*\?[^"]+)"/.exec(text)?.[1] ?? "");
    return pathname + search;
  };

  test("shows whose sign-up it is, is taken over by a post, and cannot create another link [S32] [H5] [H15]", async () => {
    const ada = await signedUp();
    const link = await linkOf(ada);
    const elsewhere = cookieBrowser(visitor);
    const page = await elsewhere.get(link);
    expect(wordsOf(page)).toContain("continues the sign-up of Engines & Sons (v…@example.com).");
    expect(page.text).not.toContain(ada.email);
    expect(secretIn(page)).toBeUndefined();
    expect((await elsewhere.get(MINI)).text).not.toContain(CARD);

    expect((await elsewhere.post("intent=resume", link)).headers.get("Location")).toBe(MINI);
    const card = await elsewhere.get(MINI);
    expect(secretIn(card)).toBe(await ada.clientSecret(MINI_ID));
    expect(card.body).toContain("1 Example Street");
    expect(card.text).not.toContain("Continue on another device");
    expect((await elsewhere.get("/resume-code")).status).toBe(404);
  });

  test("is also a QR code, drawn on request for the owner of the session only [H12]", async () => {
    const ada = await signedUp();
    expect((await ada.get(MINI)).text).toMatch(/<img loading="lazy" src="\/resume-code"/);
    const code = await ada.get("/resume-code");
    expect(code.headers.get("Content-Type")).toBe("image/svg+xml; charset=utf-8");
    expect(code.body).toMatch(/^<svg [^>]+><path stroke="#000" d="[Mh\d ]+"\/><\/svg>$/);
    expect(code.body.length).toBeLessThan(40_000);
    expect((await cookieBrowser(visitor).get("/resume-code")).status).toBe(404);
  });

  test("for a long account has no QR code, and the step stays complete and under 40 KB [H12] [H16]", async () => {
    const wide = "\u6f22".repeat(100);
    const long = { company_name: wide, full_name: wide, address: wide, city: wide.slice(0, 80) };
    const ada = await signedUp(long);
    const page = await ada.get(MINI);
    expect(page.text).toContain(CARD);
    expect(page.text).toContain("Link to continue this sign-up");
    expect(page.text).not.toContain("QR code");
    expect(withoutStyle(page.body).length).toBeLessThan(40_000);
  });
});

test("the client_secret is in the card step's page only: in no log, no URL and no readable cookie [F5]", async () => {
  const holders = visitor.received.filter((answer) => answer.includes(SECRET));
  expect(holders.length).toBeGreaterThan(3);
  for (const holder of holders) {
    const [head = "", ...page] = holder.split("\n\n");
    expect(head).not.toContain("seti_");
    expect(page.join("\n\n")).toMatch(/Please enter your card info|"clientSecret"/);
  }
  const requests = () => site.logs.filter(({ event }) => event === "request");
  await expect.poll(() => requests().length).toBe(visitor.received.length);
  expect(logged(site)).not.toMatch(/seti_|Sentinel|example\.com/i);
  expect(logged(site)).not.toContain(PASSWORD);
});
