import { describe, expect, test } from "vitest";
import { SESSION_EXPIRED, SESSION_UNREADABLE, SIGNUP_CANCELED } from "../../../app/signup/notices";
import type { SignupSession } from "../../../app/signup/steps";
import {
  HOUR,
  look,
  NOW,
  OTHER_PLAN,
  PATH,
  PLAN,
  SESSIONS,
  SITE_URL,
  siteContext,
  stopClock,
} from "../../support/site-in-process/site-context";
import { fields } from "../../support/visitors/site-visitor";

/* The table of app/signup/server/current-step.server.ts: cookie × URL × what Stripe and the API say. */

stopClock();

const { card, waiting, expired, canceled, done } = SESSIONS;
const past = { expiresAt: NOW };
const COOKIES: Record<string, SignupSession | "none" | "unreadable"> = {
  none: "none",
  unreadable: "unreadable",
  card,
  "card past its time": { ...card, ...past },
  waiting,
  "waiting past its time": { ...waiting, ...past },
  expired,
  canceled,
  done,
};

/** The same states of another company's sign-up, which is newer than the token's. */
const newer = {
  key: "another-key",
  details: { ...card.details, company_name: "Other Ltd", email: "grace@example.com" },
};
const NEWER = Object.fromEntries(
  Object.entries(COOKIES).flatMap(([name, session]) =>
    typeof session === "string" ? [] : [[`newer ${name}`, { ...session, ...newer }]],
  ),
);

/** Stripe's setup intent and the API's status. */
const SAYS: Record<string, { stripe: object; code?: number; api?: object; apiCode?: number }> = {
  trial: { stripe: { status: "succeeded" }, api: { status: "trial" } },
  "not yet": { stripe: { status: "succeeded" }, api: { status: "pending" } },
  used: { stripe: { status: "succeeded" }, api: { status: "card_used", client_secret: "seti_2_secret_2" } },
  "unknown to the API": { stripe: { status: "succeeded" }, apiCode: 404 },
  "over at the API": { stripe: { status: "succeeded" }, api: { status: "ended" } },
  processing: { stripe: { status: "processing" } },
  unreachable: { stripe: {}, code: 500 },
  "needs a card": { stripe: { status: "requires_payment_method" } },
  canceled: { stripe: { status: "canceled" } },
  unknown: { stripe: {}, code: 404 },
};

const URLS = {
  "its plan": () => PATH,
  "no plan": () => "/subscription",
  "another plan": () => `/subscription/${OTHER_PLAN}`,
  edit: () => `${PATH}?edit`,
  return: (token: string) => `${PATH}?return=${token}`,
  "return with Stripe's secret": (token: string) =>
    `${PATH}?return=${token}&setup_intent_client_secret=seti_1_secret_1`,
  "secret alone": () => `${PATH}?setup_intent_client_secret=seti_1_secret_1`,
  "bad return": () => `${PATH}?return=x`,
  resume: (_: string, link: string) => `${PATH}?resume=${link}`,
  "another plan's resume": (_: string, link: string) => `/subscription/${OTHER_PLAN}?resume=${link}`,
  "bad resume": () => `${PATH}?resume=x`,
};

/** Cookie, URL and answer, and what comes of them: a page or 303, and the session after it. The first that matches counts. */
type Rule = [cookie: RegExp, url: RegExp, says: RegExp, becomes: string];
const ANY = /./;
const PLAIN = /^(its plan|no plan|another plan|edit)$/;
const ASKED = /^(waiting.*|card past its time)$/;
const RULES: Rule[] = [
  [ANY, /^(secret alone|bad return)$/, ANY, "303"],
  [ANY, /^(bad resume|another plan's resume)$/, ANY, "link expired"],
  [/^(card|waiting)/, /^resume$/, ANY, "303"],
  [/^newer (card|waiting|waiting past its time)$/, /^resume$/, ANY, "busy"],
  [ANY, /^resume$/, ANY, "question"],
  [/^(expired|canceled|done)$/, /^return/, ANY, "303"],
  [/^(card|waiting)/, /^return/, /^trial$/, "303, done"],
  [/^\w+ past its time$/, /^return/, /^unknown to the API$/, "303, too old"],
  [/^(card|waiting)/, /^return/, /^(not yet|processing|unreachable|unknown to the API)$/, "303, waiting"],
  [/^(card|waiting)/, /^return/, /^used$/, "303, card used"],
  [/^\w+ past its time$/, /^return/, /^needs a card$/, "303, expired"],
  [/^(card|waiting)/, /^return/, /^needs a card$/, "303, declined"],
  [/^(card|waiting)/, /^return/, ANY, "303, canceled"],
  [ANY, /^return with/, ANY, "303"],
  [ANY, /^return$/, /^trial$/, "done without details"],
  [ANY, /^return$/, /^(not yet|processing|unreachable|unknown to the API)$/, "waiting"],
  [/^newer (card|waiting|waiting past its time)$/, /^return$/, /^(needs a card|used)$/, "busy"],
  [ANY, /^return$/, /^(needs a card|used)$/, "question"],
  [ANY, /^return$/, ANY, "canceled"],
  [/^none$/, PLAIN, ANY, "form"],
  [/^unreadable$/, PLAIN, ANY, "unreadable form, cleared"],
  [/^card$/, /^(its|no) plan$/, ANY, "card"],
  [/^card$/, /^edit$/, ANY, "form filled in"],
  [/^card$/, /^another plan$/, ANY, "form filled in that offers to finish"],
  [ASKED, PLAIN, /^trial$/, "done, done"],
  [/past its time/, PLAIN, /^unknown to the API$/, "unreadable form filled in, too old"],
  [ASKED, PLAIN, /^(not yet|processing|unreachable|unknown to the API)$/, "waiting, waiting"],
  [ASKED, PLAIN, /^used$/, "card used, card"],
  [/past its time/, PLAIN, /^needs a card$/, "expired form filled in, expired"],
  [ASKED, PLAIN, /^needs a card$/, "declined, card"],
  [ASKED, PLAIN, ANY, "canceled form filled in, canceled"],
  [/^expired$/, PLAIN, ANY, "expired form filled in"],
  [/^canceled$/, PLAIN, ANY, "canceled form filled in"],
  [/^done$/, /^another plan$/, ANY, "form"],
  [/^done$/, PLAIN, ANY, "done"],
];

function ruleOf(...cell: [string, string, string]): Rule | undefined {
  return RULES.find((rule) => cell.every((word, at) => RegExp(rule[at] ?? "").test(word)));
}

type Answer = Awaited<ReturnType<typeof look>>;

/** An answer in the words of the rules. */
function told({ step, status, session }: Answer): string {
  const after = session === undefined ? [] : [typeof session === "string" ? session : wordOf(session)];
  return [step ? wordsOf(step) : String(status), ...after].join(", ");
}

function wordOf(session: SignupSession): string {
  if (session.state === "ended") return session.why;
  return (session.state === "card" && session.flash) || session.state;
}

const ENDS = new Map([
  [SESSION_EXPIRED, "expired "],
  [SIGNUP_CANCELED, "canceled "],
  [SESSION_UNREADABLE, "unreadable "],
]);
const QUESTIONS = { ready: "question", busy: "busy", ended: "link expired", canceled: "canceled" };

function wordsOf(step: NonNullable<Answer["step"]>): string {
  switch (step.step) {
    case "form": {
      const ended = step.ended ? (ENDS.get(step.ended) ?? "?") : "";
      const offer = step.openPlan === PLAN ? " that offers to finish" : "";
      return `${ended}form${step.draft ? " filled in" : ""}${offer}`;
    }
    case "card":
      return step.flash ?? "card";
    case "done":
      return step.details ? "done" : "done without details";
    case "resume":
      return QUESTIONS[step.state];
    case "waiting":
      return "waiting";
  }
}

const cells = Object.entries({ ...COOKIES, ...NEWER }).flatMap(([cookie, session]) =>
  Object.keys(URLS)
    .filter((url) => !cookie.startsWith("newer") || /^(return|resume)/.test(url))
    .map((url) => ({ cookie, session, url })),
);

/** What a browser with this cookie sees at this URL when Stripe and the API say so. */
async function visit({ session, url }: Pick<(typeof cells)[number], "session" | "url">, says: keyof typeof SAYS) {
  const site = siteContext();
  const { stripe, code = 200, api = {}, apiCode = 200 } = SAYS[says] ?? { stripe: {} };
  Object.assign(site.stripe, { says: stripe, status: code });
  site.api.status = () => Response.json(api, { status: apiCode });
  const [token, link] = [await site.sessions.toReturnToken(card), (await site.resumeLinks.toToken(card)) ?? ""];
  const headers: Record<string, string> = session === "unreadable" ? { Cookie: "__Host-signup=changed" } : {};
  const kept = typeof session === "string" ? undefined : session;
  const path = URLS[url as keyof typeof URLS](token, link);
  return { ...(await look(site, { path, session: kept, headers })), asked: site.stripe.asked };
}

test.each(cells)(
  "a browser whose cookie is $cookie gets the step of the table at $url",
  async ({ cookie, session, url }) => {
    for (const says of Object.keys(SAYS)) {
      const answer = await visit({ session, url }, says);
      const where = `${cookie}, ${url}, ${says}`;
      expect([where, told(answer)]).toEqual([where, ruleOf(cookie, url, says)?.[3]]);
      const isAsked = ASKED.test(cookie) && PLAIN.test(url);
      if (!isAsked && !url.startsWith("return")) expect(answer.asked, where).toEqual([]);
      expect(answer.asked.length, where).toBeLessThanOrEqual(1);
      // An older tab neither replaces the newer sign-up nor says whose its own was.
      const shown = JSON.stringify(answer.step ?? "");
      if (cookie.startsWith("newer"))
        expect([answer.session, shown]).toEqual([undefined, expect.not.stringMatching(/Engines|Other/)]);
      expect(shown, where).not.toContain("Other Ltd");
      // The form of a sign-up that has ended gets a new nonce, and only that.
      const ends = answer.session !== undefined && /expired|canceled|too old/.test(told(answer).split(", ")[1] ?? "");
      expect([where, answer.newNonce]).toEqual([where, ends]);
    }
  },
);

test("each rule of the table is needed", () => {
  const used = cells.flatMap(({ cookie, url }) => Object.keys(SAYS).map((says) => ruleOf(cookie, url, says)));
  expect(RULES.filter((rule) => !used.includes(rule))).toEqual([]);
});

describe("a step", () => {
  const at = async (session: SignupSession | undefined, path = PATH, site = siteContext()) =>
    look(site, { session, path });

  test("of the card has everything that its page needs, and a flash only once", async () => {
    const flashed = { ...card, flash: "saved" as const };
    const { step, session } = await at(flashed);
    expect(step).toMatchObject({ ...signedUp, flash: "saved", publishableKey: "pk_test_1", countryCode: "US" });
    expect(step).not.toHaveProperty("statusUrl");
    expect(step?.step === "card" && step.returnPath.startsWith(`${PATH}?return=`)).toBe(true);
    expect(session).toEqual(card);
    expect((await at(card)).session).toBeUndefined();
  });

  const signedUp = { step: "card", packageId: PLAN, clientSecret: "seti_1_secret_1", details: card.details };

  test("of the card has no link and no details after a link", async () => {
    const { step } = await at({ ...card, details: undefined, resumed: true });
    expect(step).toMatchObject({ step: "card", resumeLink: undefined, countryCode: undefined });
  });

  test("of a declined card has Stripe's words for visitors", async () => {
    const site = siteContext();
    site.stripe.says = {
      status: "requires_payment_method",
      last_setup_error: { type: "card_error", message: "Your card was declined." },
    };
    const path = `${PATH}?return=${await site.sessions.toReturnToken(card)}`;
    expect((await at(card, path, site)).session).toMatchObject({
      flash: "declined",
      message: "Your card was declined.",
    });
  });

  test("of a waiting card asks again after 5, 10, 20, 40 and then every 60 seconds", async () => {
    const seconds = [];
    let session: SignupSession = { ...waiting, checks: 0 };
    for (let checks = 1; checks < 7; checks += 1) {
      const site = siteContext();
      site.stripe.says = { status: "processing" };
      const answer = await at(session, PATH, site);
      if (answer.step?.step === "waiting") seconds.push(answer.step.refreshSeconds);
      if (typeof answer.session === "object") session = answer.session;
    }
    expect(seconds).toEqual([5, 10, 20, 40, 60, 60]);
  });

  test("of a success shows the card and the trial's end as Stripe and the API have them", async () => {
    const site = siteContext();
    site.stripe.says = { status: "succeeded", payment_method: { card: { brand: "visa", last4: "4242" } } };
    const { step } = await at(waiting, PATH, site);
    const trialEnd = "2027-01-20T08:00:00.000Z";
    expect(step).toMatchObject({ step: "done", card: { brand: "visa", last4: "4242" }, trialEnd, flash: "saved" });
  });

  test("of a sign-up without a status URL is a success as soon as Stripe says so", async () => {
    const site = siteContext();
    site.stripe.says = { status: "succeeded" };
    expect((await at({ ...waiting, statusUrl: undefined }, PATH, site)).step).toMatchObject({ step: "done" });
    expect(site.api.calls).toEqual([]);
  });

  test("of a returned form belongs to a page that answers a post", async () => {
    const site = siteContext();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const pages = [await look(site, { headers }), await look(site)];
    expect(pages.map(({ step }) => step?.failed)).toEqual([true, false]);
  });

  test("never shows what is in the URL", async () => {
    const { step } = await at(undefined, `${PATH}?email=a@b.co&password=${fields.password}`);
    expect(step).toEqual({ step: "form", packageId: PLAN, failed: false });
  });

  test("is the card's for a sign-up one millisecond before its end", async () => {
    expect((await at({ ...card, expiresAt: NOW + 1 })).step?.step).toBe("card");
    expect((await at({ ...card, expiresAt: NOW - 24 * HOUR })).step).toMatchObject({ ended: SESSION_UNREADABLE });
    expect(SITE_URL).toMatch(/^https/);
  });
});
