import { expect, test, vi } from "vitest";
import { subscriptionRequest } from "../../../app/contract/subscription-request";
import { SIGN_UP_HOURS } from "../../../app/contract/trial";
import { idempotencyKeys } from "../../../app/signup/server/form/idempotency-key.server";
import { type SignupSession, signupSession } from "../../../app/signup/session-state";
import { HOUR } from "../../support/api-in-process/scheduler";
import { NOW, stopClock } from "../../support/clock";
import { fields } from "../../support/person";
import { PLANS } from "../../support/plans";
import { look, post, type Site, siteContext, TERMS } from "../../support/site-in-process/site-context";
import { OTHER_PLAN, PATH, PLAN, SETTINGS, STATUS_URL } from "../../support/site-in-process/site-settings";
import { NONCE } from "../../support/visitors/site-visitor";
import { OTHER, SESSIONS } from "./sessions";
import { type Answers, PROCESSING, SUCCEEDED, siteThatAnswers, TRIAL, UNREACHABLE } from "./site-that-answers";

/*
 * A posted form that the API takes, and the buttons: what is sent, the page, the cookies and the log lines. `post` fails on a
 * password in an answer or the log, and on personal data in the log.
 */

stopClock();

const SIGN_UP_END = NOW + SIGN_UP_HOURS * HOUR;

/** In the contract's order, on which the key depends. */
const request = subscriptionRequest.parse({ ...fields, email: "ada@example.com", phone: "2125550123" });
const { card, done, expired, canceled } = SESSIONS;
const OTHER_PATH = `/subscription/${OTHER_PLAN}`;
const keyOf = idempotencyKeys([SETTINGS.SESSION_SECRET]);
const keyWithNonce = () => keyOf({ ...request, password: fields.password }, NONCE);
/** A lower and a higher price than the list's. */
const [LOWER, HIGHER] = [PLANS.STANDARD.priceCents - 1, PLANS.STANDARD.priceCents + 1];
const lower = { price_cents: String(LOWER) };

/** `end` is what the API says when it is asked to end a sign-up: a status, or the sign-up's. */
type Visit = Parameters<typeof post>[2] & Answers & { end?: number | object };

/** Posts the form with these changes to an API with this answer. */
async function send(form: Record<string, string>, says?: object, { end = 405, ...visit }: Visit = {}) {
  const site = siteThatAnswers({ api: TRIAL.api, ...visit });
  site.api.end = () => (typeof end === "number" ? new Response(null, { status: end }) : Response.json(end));
  if (says) site.api.answer = () => Response.json({ client_secret: "seti_1_secret_1", ...says });
  const answer = await post(site, { ...fields, ...form }, visit);
  const inits = site.api.calls.map(({ init }) => init);
  const posted = inits.filter(({ method }) => method === "POST");
  const headers = new Headers(posted[0]?.headers);
  const bodies = posted.map(({ body }) => JSON.parse(String(body)));
  const methods = inits.map(({ method }) => method);
  const shown = JSON.parse(headers.get("Subscription-Terms") ?? "null");
  return { ...answer, site, methods, sent: headers, bodies, shown };
}

test("a form is sent once and cleaned, and becomes the browser's sign-up in place of an earlier one", async () => {
  const { package_id, password: _, ...details } = request;
  const earlier = { ...done, details: { company_name: "Other" } };
  const answer = await send({ role: "admin", amount: "0", ...lower }, undefined, { session: earlier });
  expect(answer).toRedirectTo(PATH);
  const key = await keyWithNonce();
  expect(answer.bodies).toEqual([{ ...request, password: fields.password }]);
  expect(answer.sent.get("Idempotency-Key")).toBe(key);
  expect(answer.sent.get("X-Request-Id")).toBe("this-request");
  expect(answer.sent.get("Subscription-Sender")).toBe("192.0.2.7");
  expect(answer.shown, "the price, which is no part of the sign-up or its key").toEqual({ price_cents: LOWER });
  expect(answer.session).toEqual({
    ...{ state: "card", flash: "saved", requestId: "this-request", packageId: PLAN, terms: TERMS, details, key },
    expiresAt: SIGN_UP_END,
    clientSecret: "seti_1_secret_1",
    statusUrl: STATUS_URL,
  });
  expect(answer.newNonce, "a new key for the form").toBe(false);
  expect(answer.site.logged, "the log, without personal data").toEqual([["request", { signup: "created" }]]);
});

test.each<{ name: string; form: Record<string, string>; path: string; to: string }>([
  { name: "of another page", form: {}, path: OTHER_PATH, to: PATH },
  { name: "in capital letters", form: { package_id: PLAN.toUpperCase() }, path: PATH, to: PATH },
  { name: "without a plan", form: { package_id: "" }, path: "/subscription", to: "/subscription" },
])("a form that the API takes leads to its own plan: $name", async ({ form, path, to }) => {
  expect(await send(form, undefined, { path })).toRedirectTo(to);
});

test.each([
  { name: "when the API says so, if that is sooner", after: -1, end: SIGN_UP_END - 1 },
  { name: "after its hours, if the API says later", after: 1, end: SIGN_UP_END },
])("a sign-up ends $name", async ({ after, end }) => {
  const { session } = await send({}, { expires_at: new Date(SIGN_UP_END + after).toISOString() });
  expect(session).toMatchObject({ state: "card", expiresAt: end });
});

const SAID = { price_cents: LOWER - 1, currency: "usd" };

test.each(["", "free", "-1", "450.5", "1".repeat(10)])("a price not in whole cents is not told: %j", async (cents) => {
  const { shown, status } = await send({ price_cents: cents });
  expect({ shown, status }).toEqual({ shown: {}, status: 303 });
});

test.each<{ name: string; form: Record<string, string>; says?: object; kept?: number }>([
  { name: "the API's", form: lower, says: SAID, kept: LOWER - 1 },
  { name: "the form's, if the API says none", form: { price_cents: String(HIGHER) }, says: {}, kept: HIGHER },
  { name: "the list's, if neither says one", form: {}, says: {}, kept: PLANS.STANDARD.priceCents },
  { name: "the form's, if the API's is in euros", form: lower, says: { ...SAID, currency: "eur" }, kept: LOWER },
  { name: "the form's, if the API's has half cents", form: lower, says: { ...SAID, price_cents: 0.5 }, kept: LOWER },
  { name: "none without a plan", form: { ...lower, package_id: "" }, says: {} },
])("a price is kept by the sign-up with the other terms: $name", async ({ form, says, kept }) => {
  expect((await send(form, says)).session).toHaveProperty("terms", { ...TERMS, price_cents: kept });
});

const again = async (session: SignupSession, form: Record<string, string> = {}) =>
  send(form, undefined, { session: { ...session, key: await keyWithNonce() } });

test.each<SignupSession>([card, done])("the same form again only leads to its sign-up: $state", async (session) => {
  const answer = await again(session);
  expect(answer).toRedirectTo(PATH);
  expect(answer).toMatchObject({ session: undefined, bodies: [] });
});

test.each<{ name: string; session: SignupSession }>([
  { name: "after an end", session: expired },
  { name: "from a page with a lower price", session: { ...card, terms: { ...TERMS, price_cents: HIGHER } } },
])("the same form is sent again $name", async ({ session: earlier }) => {
  const { session, bodies } = await again(earlier, lower);
  expect(session).toMatchObject({ state: "card" });
  expect(bodies).toHaveLength(1);
});

test.each<{ name: string; headers: Record<string, string> }>([
  { name: "a script without cookies", headers: { Cookie: "", "Sec-Fetch-Site": "" } },
  { name: "a page of an earlier release", headers: { Cookie: "another=1" } },
])("a form without a nonce has the same key whatever the password: $name", async ({ headers }) => {
  const password = "An0ther one!";
  const { session } = await send({ password, confirmPassword: password }, undefined, { headers });
  expect(session).toMatchObject({ key: await keyOf(request, undefined) });
});

test("a busy API that honors the key is called three times within one deadline", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const site = siteContext({ SUBSCRIPTION_API_IDEMPOTENT: "true", SUBSCRIPTION_API_TIMEOUT_MS: "2000" });
  site.api.answer = () => new Response(null, { status: 503, headers: { "Retry-After": "0" } });
  await post(site, fields);
  expect(site.api.calls).toHaveLength(3);
  expect(timeout.mock.calls).toEqual([[2_000]]);
});

test.each<{ what: string; session?: SignupSession; intent?: string; changes: boolean }>([
  { what: "Start over empties the form of its own sign-up", session: card, changes: true },
  { what: "Start over empties the form of a browser without a sign-up", changes: true },
  { what: "Start over leaves a newer sign-up alone", session: { ...card, key: "another-key" }, changes: false },
  { what: "a button of an earlier release changes nothing", session: card, intent: "an-older-button", changes: false },
  { what: "a button with a prototype's name changes nothing", session: card, intent: "__proto__", changes: false },
])("$what", async ({ session, intent = "start-over", changes }) => {
  const site = siteContext();
  const answer = await post(site, { intent, sign_up: card.key }, { session, path: `${PATH}?edit` });
  expect(answer).toRedirectTo(PATH);
  expect(answer.session).toBe(changes ? "cleared" : undefined);
  expect(answer.newNonce, "a new key, so that the next form is another sign-up").toBe(changes);
  expect(site.api.calls.map(({ init }) => init.method)).toEqual(changes && session ? ["DELETE"] : []);
});

const edited = { email: "ada.corrected@example.com" };
const withoutStatus = { ...card, statusUrl: undefined };
const ofOther = { ...edited, package_id: OTHER_PLAN };

test.each<Answers & { earlier: string; end?: number | object; session?: SignupSession; keeps?: string }>([
  { earlier: "that has no card is ended", end: { status: "ended" } },
  { earlier: "with a trial is shown", end: TRIAL.api, stripe: SUCCEEDED, keeps: "done" },
  { earlier: "with a trial is shown, whatever Stripe says of its card", end: TRIAL.api, keeps: "done" },
  { earlier: "whose card is processed is waited for", end: { status: "pending" }, ...PROCESSING, keeps: "waiting" },
  { earlier: "whose card nobody knows is waited for", end: { status: "pending" }, ...UNREACHABLE, keeps: "waiting" },
  { earlier: "with a card, but no status URL, is shown", session: withoutStatus, stripe: SUCCEEDED, keeps: "done" },
  { earlier: "about which nobody answers is left", end: 500, ...UNREACHABLE },
])("before another plan's form and Start over, a sign-up $earlier", async ({ keeps, ...answers }) => {
  const visit = { session: card, ...answers, path: OTHER_PATH };
  const form = await send(ofOther, {}, visit);
  const startOver = await send({ intent: "start-over", sign_up: card.key }, {}, visit);
  expect(form.bodies).toHaveLength(keeps ? 0 : 1);
  for (const answer of [form, startOver]) expect(answer).toRedirectTo(keeps ? PATH : OTHER_PATH);
  const own = { state: keeps, packageId: PLAN };
  expect(form.session).toMatchObject(keeps ? own : { state: "card", packageId: OTHER_PLAN });
  expect(startOver.session).toEqual(keeps ? expect.objectContaining(own) : "cleared");
});

test.each([
  { what: "ends the earlier sign-up says so", end: { status: "ended" }, keeps: canceled, isOver: true },
  { what: "cannot end the earlier sign-up leaves it alone", end: 405, keeps: undefined, isOver: false },
])("a form that is refused by an API that $what", async ({ end, keeps, isOver }) => {
  const { session, reply } = await send(edited, { client_secret: "" }, { session: card, end });
  expect({ session, isOver: reply?.isOver }).toEqual({ session: keeps, isOver });
});

const newSetup = { client_secret: OTHER.clientSecret };
/** The page of the sign-up that the browser then has. */
const next = (site: Site, session: unknown) => look(site, { session: signupSession.parse(session) });

test.each([
  { end: 404, logs: [] },
  { end: 405, logs: [] },
  { end: 501, logs: [] },
  { end: 500, logs: [["status_check_failed", { cause: "status", status: 500 }]] },
])("where an API cannot end a sign-up ($end), Stripe is asked, and the edited form goes on", async ({ end, logs }) => {
  const { session, methods, site } = await send(edited, newSetup, { session: card, end });
  expect(session).toMatchObject({ state: "card", clientSecret: OTHER.clientSecret });
  expect(methods).toEqual(["DELETE", "POST"]);
  expect(site.logged).toEqual([...logs, ["request", { signup: "created" }]]);
});

test("a late card of a sign-up that cannot be ended is no secret: the page says whose, and who can end it", async () => {
  const { site, session } = await send(edited, newSetup, { session: withoutStatus });
  expect((await next(site, session)).step).toMatchObject({ step: "card", earlier: undefined });
  Object.assign(site.stripe.says, SUCCEEDED);
  const late = await next(site, session);
  const message =
    "The card of your earlier STANDARD sign-up for Engines & Sons was set up after you replaced it. To end it, contact support.";
  expect(late.step).toMatchObject({ step: "card", earlier: { message, actions: ["support"] } });
  expect(JSON.stringify(late.step)).not.toContain(card.clientSecret);
  expect(late.session).toMatchObject({ replaced: { hasCard: true } });
  site.stripe.says = { status: "canceled" };
  expect((await next(site, late.session)).step, "later").toMatchObject({ earlier: { message } });
});

test("a sign-up that cannot be ended is not asked about again once Stripe has canceled its setup", async () => {
  const { site, session } = await send(edited, newSetup, { session: withoutStatus });
  site.stripe.says = { status: "canceled" };
  const { session: kept } = await next(site, session);
  expect(kept).toMatchObject({ state: "card", clientSecret: OTHER.clientSecret });
  expect(kept).not.toHaveProperty("replaced");
});

test("an API that cannot end a sign-up and gives the edited form the same setup has one card, not two", async () => {
  const { site, session } = await send(edited, {}, { session: withoutStatus });
  Object.assign(site.stripe.says, SUCCEEDED);
  expect((await next(site, session)).step).toMatchObject({ step: "done", earlier: undefined });
});
