import { JSDOM } from "jsdom";
import { expect, test, vi } from "vitest";
import { company } from "../../../../app/company";
import { PAID_PLANS } from "../../../../app/contract/plans";
import { type LinkPurpose, signedLinks } from "../../../../functions/subscription-api/signed-links";
import { apiInProcess } from "../../../support/api-in-process/api";
import { DAY, HOUR } from "../../../support/api-in-process/scheduler";
import { refusal } from "../../../support/api-in-process/stripe-objects";
import { NOW, stopClock } from "../../../support/clock";
import { configurationOf } from "../sign-ups/sign-ups";

stopClock();

const ENDED = "This sign-up has ended";
const NO_LINK = "This link doesn’t work";

/** A trial that has begun, and links for it. @param also fields of an earlier sign-up of the same address, which waits for its card */
async function onTrial({ also }: { also?: object } = {}) {
  const api = apiInProcess();
  if (also) await api.post(also);
  const id = await api.onTrial();
  const links = signedLinks(configurationOf(api.env).links);
  const linkTo = (purpose: LinkPurpose, signUpId = id) => links.urlOf(purpose, signUpId, new Date(NOW + DAY));
  const tokenFor = (purpose: LinkPurpose, signUpId = id) => linkTo(purpose, signUpId).split("/").at(-1);
  /** The page that a link opens, or its button. */
  const open = async (url: string, method = "GET") => {
    const answer = await api.ask(url, { method });
    await api.settled();
    const { status, headers } = answer;
    const { document } = new JSDOM(await answer.text()).window;
    const textsOf = (selector: string) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
    return { status, headers, document, heading: textsOf("h1").join(), paragraphs: textsOf("p"), items: textsOf("li") };
  };
  const signUp = () => api.rows("SELECT status, end_reason, email_verified_at FROM sign_ups")[0];
  return { ...api, linkTo, tokenFor, open, signUp };
}

const POLICY =
  /^default-src 'none'; style-src 'sha256-\S+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/;

test.each([
  { purpose: "verify-email", heading: "Is this your email address?", button: "Confirm my email address" },
  { purpose: "not-me", heading: "Wasn’t you?", button: "End this sign-up" },
] as const)("“$heading” is private, runs no script, and changes nothing until its button posts", async (row) => {
  const { linkTo, open, rows, calls } = await onTrial();
  const link = linkTo(row.purpose);
  const everything = () => [rows("SELECT * FROM sign_ups"), rows("SELECT * FROM outbox"), calls];
  const before = structuredClone(everything());
  expect(await open(link, "HEAD")).toHaveStatus(200);
  const page = await open(link);
  expect(everything()).toEqual(before);
  const headers = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Content-Security-Policy": POLICY };
  expect(page).toHaveHeaders({ ...headers, "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY" });
  const { document, heading } = page;
  expect(heading).toBe(row.heading);
  expect(document.querySelectorAll("script")).toHaveLength(0);
  expect([...document.links].map(({ href }) => href)).toContain(`mailto:${company.supportEmail}`);
  const form = document.querySelector("form");
  expect(form?.method).toBe("post");
  expect(form?.getAttribute("action"), "the form is sent to the link itself").toBeNull();
  expect(form?.querySelector("button[type=submit]")?.textContent).toBe(row.button);
});

const CONFIRMED = { status: "trialing", email_verified_at: new Date(NOW).toISOString() };
const NOT_ME = { status: "canceled", end_reason: "not-me" };

test.each([
  { purpose: "verify-email", heading: "Your email address is confirmed", kind: "email-verified", becomes: CONFIRMED },
  { purpose: "not-me", heading: ENDED, kind: "account-closed", becomes: NOT_ME },
] as const)("the button of $purpose does its work once, and tells the console of it once", async (row) => {
  const { linkTo, open, signUp, rows } = await onTrial();
  for (const [at, method] of ["POST", "POST", "GET"].entries()) {
    vi.setSystemTime(NOW + at * HOUR);
    const { heading, document } = await open(linkTo(row.purpose), method);
    expect(heading).toBe(row.heading);
    expect(document.querySelector("form")).toBeNull();
  }
  expect(signUp()).toMatchObject(row.becomes);
  expect(rows("SELECT state FROM outbox WHERE kind = ?", row.kind)).toEqual([{ state: "sent" }]);
});

const [, LITE, STANDARD] = PAID_PLANS;
const BOTH = [LITE, STANDARD].map(({ title }) => `${title}, signed up on November 22, 2026 (UTC)`);
const OVER = "Any subscription is canceled and every card removed. There are no further charges for";

test.each([
  { confirmed: false, asked: BOTH, these: "these sign-ups", heading: "These sign-ups have ended", reason: "not-me" },
  { confirmed: true, asked: BOTH.slice(0, 1), these: "this sign-up", heading: ENDED, reason: null },
])("“This wasn’t me” ends an address's other sign-up, unless confirmed ($confirmed), and names both", async (row) => {
  const { confirmed, asked, these, heading, reason } = row;
  const { open, rows, linkTo } = await onTrial({ also: { package_id: LITE.packageId } });
  const found = () => rows("SELECT id, end_reason FROM sign_ups ORDER BY rowid");
  const link = linkTo("not-me", String(found()[0]?.id));
  if (confirmed) await open(linkTo("verify-email"), "POST");
  const { items, document } = await open(link);
  expect(items).toEqual(asked);
  expect(document.querySelector("button")?.textContent).toBe(`End ${these}`);
  const page = await open(link, "POST");
  expect(page).toMatchObject({ heading, items: BOTH });
  expect(page.paragraphs).toContain(`${OVER} ${these}.`);
  const goesOn = page.paragraphs.join().includes("Not ended, because your email address was confirmed for it.");
  expect(goesOn, "says that one goes on").toBe(confirmed);
  expect(found()).toMatchObject([{ end_reason: "not-me" }, { end_reason: reason }]);
});

test("“This wasn’t me” ends nothing while Stripe fails, says to try again, and logs that alone; then no link confirms the address", async () => {
  const { linkTo, open, signUp, logged, model } = await onTrial();
  const stripe = vi.spyOn(model, "request").mockReturnValue(refusal(429, "rate_limit"));
  expect(await open(linkTo("not-me"), "POST")).toMatchObject({ status: 503, heading: "Something went wrong" });
  expect(signUp()).toMatchObject({ end_reason: null });
  const lines = logged.filter(({ level }) => level !== "info").map(({ event }) => event);
  expect(new Set(lines)).toEqual(new Set(["stripe_failed"]));
  stripe.mockRestore();
  expect((await open(linkTo("not-me"), "POST")).heading).toBe(ENDED);
  for (const method of ["GET", "POST"]) expect((await open(linkTo("verify-email"), method)).heading).toBe(ENDED);
  expect(signUp()).toMatchObject({ email_verified_at: null });
});

test.each([
  { when: "during the trial", columns: "email = email", saysCharged: false, isFree: true },
  { when: "after the trial", columns: "trial_end = '2020-01-01T00:00:00.000Z'", saysCharged: true, isFree: true },
  { when: "after a confirmation", columns: "email_verified_at = created_at", saysCharged: false, isFree: false },
])("“This wasn’t me” $when speaks of a charge: $saysCharged, of another sign-up: $isFree", async (row) => {
  const CHARGED = "If the card was charged, our support team will look at the charge and write to you.";
  const { linkTo, open, rows } = await onTrial();
  rows(`UPDATE sign_ups SET ${row.columns}`);
  expect((await open(linkTo("not-me"))).paragraphs.includes(CHARGED)).toBe(row.saysCharged);
  const { paragraphs } = await open(linkTo("not-me"), "POST");
  expect(paragraphs.includes(CHARGED)).toBe(row.saysCharged);
  expect(paragraphs.includes("You can use your email address to sign up at any time.")).toBe(row.isFree);
});

test("a link is refused and logged if its token is another page's, another sign-up's or unreadable", async () => {
  const { tokenFor, open, signUp, logged } = await onTrial();
  const links = [
    { link: `/links/not-me/${tokenFor("verify-email")}`, heading: NO_LINK },
    { link: `/links/verify-email/${tokenFor("not-me")}`, heading: NO_LINK },
    { link: `/links/verify-email/${tokenFor("verify-email", crypto.randomUUID())}`, heading: NO_LINK },
    { link: "/links/not-me/%00", heading: NO_LINK },
    { link: `/subscription/status/${tokenFor("verify-email")}`, heading: "" },
  ];
  for (const { link, heading } of links) expect(await open(link), link).toMatchObject({ status: 404, heading });
  const refused = logged.filter(({ on, event }) => on === "warn" && event === "link_refused");
  expect(refused).toHaveLength(links.length);
  expect(signUp()).toMatchObject({ status: "trialing", email_verified_at: null });
});

const SIGN_UP = "6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01";
const linksWith = (...secrets: string[]) => signedLinks({ publicUrl: "https://api.example", secrets });

test("a token has 43 characters that need no escape in a URL, and names its sign-up until it expires or its secret is gone", () => {
  const links = linksWith("the-old-secret");
  const url = links.urlOf("status", SIGN_UP, new Date(NOW + 1000));
  const token = url.replace("https://api.example/subscription/status/", "");
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(linksWith("the-new-secret", "the-old-secret").read("status", token)).toBe(SIGN_UP);
  expect(linksWith("the-new-secret").read("status", token)).toBeUndefined();
  const bytes = Buffer.from(token, "base64url");
  const altered = [...bytes.entries()].flatMap(([at, byte]) =>
    [1, 2, 4, 8, 16, 32, 64, 128].map((bit) => Buffer.from(bytes.with(at, byte ^ bit)).toString("base64url")),
  );
  const others = ["", "x", token.slice(1), token + token, "x".repeat(4000), ...altered];
  expect(others.filter((other) => links.read("status", other) !== undefined)).toEqual([]);
  vi.setSystemTime(NOW + 999);
  expect(links.read("status", token)).toBe(SIGN_UP);
  vi.setSystemTime(NOW + 1000);
  expect(links.read("status", token)).toBeUndefined();
});
