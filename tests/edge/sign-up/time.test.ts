import { beforeAll, describe, expect, test } from "vitest";
import { fastApi } from "../../support/fast-api/build";
import { cookieBrowser } from "../../support/visitors/cookie-browser";
import {
  type Answer,
  fields,
  nonceIn,
  resumeLinkIn,
  type SiteVisitor,
  siteVisitor,
  withoutStyle,
} from "../../support/visitors/site-visitor";
import { type Stack, startStack } from "../../support/visitors/visited-site";
import { enterCard, rows } from "../../support/visitors/visitor";
import { startUpstream } from "../../support/workers/upstream";
import { startSite } from "../../support/workers/workers";

/* How long a sign-up is kept, how a visitor keeps it longer, and how it goes on on another device. */

const PLAN = fields.package_id;
const PATH = `/subscription/${PLAN}`;
const MINI = "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const CARD = "Please enter your card info for starting your 5 days free trial";
const SUCCESS = "Your 5 days trial period has been started.";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let stack: Stack;
let visitor: SiteVisitor;

beforeAll(async () => {
  stack = await startStack(await fastApi());
  ({ visitor } = stack);
  return stack.dispose;
});

async function signedUp(change: Record<string, string> = {}) {
  const browser = cookieBrowser(visitor);
  await browser.signUp(PLAN, change);
  return browser;
}

/** The times at which the card step says that it ends, without a script. */
const endsIn = ({ text }: Answer) =>
  [...text.matchAll(/kept until (?:<[^>]+>)?<time datetime="([^"]+)"/gi)].map(([, time]) => Date.parse(time ?? ""));

describe("a session", () => {
  test("is kept for two hours from its last step, and the page says until when, in UTC without a script [S29]", async () => {
    const ada = await signedUp();
    const page = await ada.get(PATH);
    const [end = 0] = endsIn(page);
    expect(Math.abs(end - Date.now() - 2 * HOUR)).toBeLessThan(MINUTE);
    expect(page.text).toMatch(/<time dateTime="[^"]+">[A-Z][a-z]+ \d+, \d{4} at \d+:\d\d [AP]M \(UTC\)<\/time>/);
    await ada.wait(HOUR);
    // Looking is no step.
    expect(Math.abs((endsIn(await ada.get(PATH))[0] ?? 0) - Date.now() - HOUR)).toBeLessThan(MINUTE);
    await ada.post("intent=card-set-up", PATH);
    expect(Math.abs((endsIn(await ada.get(PATH))[0] ?? 0) - Date.now() - 2 * HOUR)).toBeLessThan(MINUTE);
  });

  test("is told ten minutes before its end, and one press keeps it for two more hours [S30]", async () => {
    const ada = await signedUp();
    await ada.wait(109 * MINUTE);
    expect((await ada.get(PATH)).text).not.toContain("Your sign-up ends soon");
    await ada.wait(2 * MINUTE);
    const page = await ada.get(PATH);
    expect(page.text).toContain("Your sign-up ends soon");
    expect(page.text).toContain("Keep it for two more hours");
    const secret = await ada.clientSecret(PLAN);
    expect((await ada.post("intent=extend", PATH)).headers.get("Location")).toBe(PATH);
    const kept = await ada.get(PATH);
    expect(kept.text).not.toContain("Your sign-up ends soon");
    expect(Math.abs((endsIn(kept)[0] ?? 0) - Date.now() - 2 * HOUR)).toBeLessThan(MINUTE);
    expect(await ada.clientSecret(PLAN)).toBe(secret);
  });

  test("is kept for a day at most, and then offers no more [S30] [H15]", async () => {
    const ada = await signedUp();
    for (let hour = 0; hour < 23; hour += 1) {
      await ada.wait(HOUR);
      await ada.post("intent=extend", PATH);
    }
    await ada.wait(55 * MINUTE);
    const last = await ada.get(PATH);
    expect(last.text).toContain("a day after it was begun, and cannot be kept longer");
    expect(last.text).not.toContain("Keep it for two more hours");
    const cookie = ada.cookie();
    await ada.wait(6 * MINUTE);
    const ended = await ada.get(PATH);
    expect(ended.text).toContain("Your sign-up could not be opened");
    expect(ended.text).not.toContain("Ada Lovelace");
    expect(cookie).not.toBe("");
  });

  test("that has expired says so once and gives back everything but the passwords; the new form replaces its sign-up [S31]", async () => {
    const ada = await signedUp();
    await ada.wait(2 * HOUR + 1);
    const page = await ada.get(PATH);
    expect(page.text).toContain("Your sign-up has ended");
    expect(page.text).not.toContain(CARD);
    for (const typed of ["Ada Lovelace", "Engines & Sons", ada.email, "(212) 555-0123", "1 Example Street", "IL"]) {
      expect(page.text).toContain(`value="${typed}"`);
    }
    expect(page.text).not.toContain(fields.password);
    const again = await ada.get(PATH);
    expect(again.text).not.toContain("Your sign-up has ended");
    expect(again.text).toContain('value="Ada Lovelace"');
    await ada.send({ package_id: PLAN, form_nonce: nonceIn(again) });
    expect((await ada.get(PATH)).text).toContain(CARD);
    const made = await rows(stack.api, "SELECT status FROM sign_ups WHERE email = ? ORDER BY created_at", ada.email);
    expect(made.map(({ status }) => status)).toEqual(["superseded", "pending"]);
  });

  test("that has expired gives back what was typed to the form of any plan, and offers no sign-up to continue [S31] [S17]", async () => {
    const ada = await signedUp();
    await ada.wait(2 * HOUR + 1);
    const page = await ada.get(`/subscription/${MINI}`);
    expect(page.text).toContain("Your sign-up has ended");
    expect(page.text).toContain('value="Ada Lovelace"');
    expect(page.text).not.toContain("waiting for its card");
  });

  test("that has expired is a success all the same when Stripe has the card [S23] [S31]", async () => {
    const [ada, grace] = [await signedUp(), await signedUp()];
    for (const each of [ada, grace]) {
      await enterCard(stack.stripe.url, await each.clientSecret(PLAN));
      await each.wait(2 * HOUR + 1);
    }
    // The page that was open says so; or somebody comes back later.
    await ada.post("intent=card-set-up", PATH);
    expect((await ada.get(PATH)).text).toContain(SUCCESS);
    expect((await grace.get(PATH)).headers.get("Location")).toBe(PATH);
    expect((await grace.get(PATH)).text).toContain(SUCCESS);
  });

  test("that has expired cannot be kept longer, resumed or finished without a card [S30] [H15]", async () => {
    const ada = await signedUp();
    await ada.wait(2 * HOUR + 1);
    for (const intent of ["extend", "card-set-up"]) {
      const cookie = ada.cookie();
      const { headers } = await ada.post(`intent=${intent}`, PATH);
      expect([headers.get("Location"), headers.has("Set-Cookie")]).toEqual([PATH, false]);
      expect(ada.cookie()).toBe(cookie);
    }
    expect((await ada.get(PATH)).text).toContain("Your sign-up has ended");
  });

  test("that cannot be opened says so, once [S31]", async () => {
    const ada = cookieBrowser(visitor);
    ada.setCookie("signup=x");
    expect((await ada.get(PATH)).text).toContain("Your sign-up could not be opened");
    expect((await ada.get(PATH)).text).not.toContain("could not be opened");
  });

  test("after a success stays until the end of its day, and has no end to be told of [S14] [S30]", async () => {
    const ada = await signedUp();
    await enterCard(stack.stripe.url, await ada.clientSecret(PLAN));
    await ada.post("intent=card-set-up", PATH);
    await ada.get(PATH);
    await ada.wait(23 * HOUR);
    const { text } = await ada.get(PATH);
    expect(text).toContain(SUCCESS);
    expect(text).not.toContain("kept until");
  });
});

describe("a resume link", () => {
  const linkOf = async (browser: { get(path: string): Promise<Answer> }) => {
    const { pathname, search } = resumeLinkIn(await browser.get(PATH));
    return pathname + search;
  };

  test("says whose sign-up it is, and only a post takes it over [S32] [H5]", async () => {
    const ada = await signedUp();
    const link = await linkOf(ada);
    const elsewhere = cookieBrowser(visitor);
    const page = await elsewhere.get(link);
    expect(page.text.replace(/<[^>]+>/g, "")).toContain("continues the sign-up of Engines & Sons (v…@example.com).");
    expect(page.text).not.toContain(ada.email);
    expect(page.body).not.toMatch(/seti_/);
    expect(page.headers.has("Set-Cookie")).toBe(false);
    expect((await elsewhere.get(PATH)).text).not.toContain(CARD);

    expect((await elsewhere.post("intent=resume", link)).headers.get("Location")).toBe(PATH);
    expect(await elsewhere.clientSecret(PLAN)).toBe(await ada.clientSecret(PLAN));
    const card = await elsewhere.get(PATH);
    // With the address: nothing is asked twice.
    expect(card.body).toContain("1 Example Street");
    // The browser where it began, and the one that has taken it over, go straight to the card step.
    for (const browser of [ada, elsewhere]) expect((await browser.get(link)).headers.get("Location")).toBe(PATH);
  });

  test("never replaces a sign-up in progress, not even one that is being edited [S32] [H5]", async () => {
    const [ada, eve] = [await signedUp(), await signedUp({ company_name: "Eve & Co" })];
    const secret = await ada.clientSecret(PLAN);
    const link = await linkOf(eve);
    for (const prepare of [async () => {}, async () => ada.post("intent=edit", PATH)]) {
      await prepare();
      const page = await ada.get(link);
      expect(page.text).toContain("another one is in progress in this browser");
      expect(page.text).not.toContain("Continue this sign-up");
      const before = ada.cookie();
      expect((await ada.post("intent=resume", link)).headers.get("Location")).toBe(link);
      expect(ada.cookie()).toBe(before);
    }
    expect((await ada.get(PATH)).text).toContain('value="Engines & Sons"');
    expect(secret).not.toBe("");
  });

  test("begets no link, and no QR code [S32] [H15]", async () => {
    const ada = await signedUp();
    const elsewhere = cookieBrowser(visitor);
    await elsewhere.post("intent=resume", await linkOf(ada));
    const card = await elsewhere.get(PATH);
    expect(card.text).toContain(CARD);
    expect(card.text).not.toContain("Continue on another device");
    expect(card.text).not.toContain("link below");
    expect((await elsewhere.get("/resume-code")).status).toBe(404);
  });

  test("does not work after a success or a cancellation, and says so [S32] [H15]", async () => {
    const [ada, grace] = [await signedUp(), await signedUp()];
    const links = [await linkOf(ada), await linkOf(grace)];
    await enterCard(stack.stripe.url, await ada.clientSecret(PLAN));
    await grace.post("intent=edit", PATH);
    await grace.send({ package_id: PLAN, form_nonce: nonceIn(await grace.get(PATH)) });
    const said = ["This sign-up is finished", "This sign-up was cancelled"];
    for (const [index, link] of links.entries()) {
      const elsewhere = cookieBrowser(visitor);
      const answer = await elsewhere.post("intent=resume", link);
      expect(answer.status).toBe(409);
      expect(answer.text).toContain(said[index]);
      expect(elsewhere.cookie()).toBe("");
    }
  });

  test("that has ended or is broken says so, and leaves a sign-up in progress alone [S31] [S32]", async () => {
    const ada = await signedUp();
    const link = await linkOf(ada);
    for (const browser of [cookieBrowser(visitor), await signedUp()]) {
      const before = browser.cookie();
      for (const answer of [await browser.get(`${link}x`), await browser.get(`${PATH}?resume=`)]) {
        expect(answer.text).toContain("This link has ended");
      }
      expect((await browser.post("intent=resume", `${link}x`)).status).toBe(303);
      expect(browser.cookie()).toBe(before);
    }
  });

  test("is also a QR code, drawn only when it is asked for: small, and for the holder of the session alone [H12]", async () => {
    const ada = await signedUp();
    const page = await ada.get(PATH);
    expect(withoutStyle(page.body).length).toBeLessThan(40_000);
    expect(page.text).toMatch(/<img loading="lazy" src="\/resume-code"/);
    const code = await ada.get("/resume-code");
    expect(code.headers.get("Content-Type")).toBe("image/svg+xml; charset=utf-8");
    expect(code.headers.get("Cache-Control")).toBe("no-store");
    expect(code.body).toMatch(/^<svg [^>]+><path stroke="#000" d="[Mh\d ]+"\/><\/svg>$/);
    expect(code.body.length).toBeLessThan(40_000);
    expect((await cookieBrowser(visitor).get("/resume-code")).status).toBe(404);
  });

  test("has no QR code where the client secret is long; the step is all there [H16]", async () => {
    const secret = `seti_1_secret_${"x".repeat(980)}`;
    const upstream = await startUpstream();
    upstream.answersJson(200, { client_secret: secret });
    const other = await startSite({ vars: { SUBSCRIPTION_API_URL: upstream.url } });
    const ada = cookieBrowser(siteVisitor(other));
    await ada.signUp(PLAN);
    const page = await ada.get(PATH);
    expect(page.text).toContain(CARD);
    expect(page.body).toContain(secret);
    expect(page.text).not.toContain("QR code");
    await other.dispose();
    upstream.dispose();
  });

  test("of a long account has no QR code; the step is all there and under 40 KB [H12] [H16]", async () => {
    const wide = "\u6f22".repeat(100);
    const ada = await signedUp({ company_name: wide, full_name: wide, address: wide, city: wide.slice(0, 80) });
    const page = await ada.get(PATH);
    expect(page.text).toContain(CARD);
    expect(page.text).toContain("Link to continue this sign-up");
    expect(page.text).not.toContain("QR code");
    expect(withoutStyle(page.body).length).toBeLessThan(40_000);
    expect((await ada.get("/resume-code")).status).toBe(404);
    const elsewhere = cookieBrowser(visitor);
    await elsewhere.post("intent=resume", await linkOf(ada));
    expect((await elsewhere.get(PATH)).text).toContain(wide);
  });
});
