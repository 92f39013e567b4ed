import { MAX_FAILED_CARDS } from "../../app/contract/trial";
import { DAY, HOUR, MINUTE, SECOND } from "../support/api-in-process/scheduler";
import type { StripeObject } from "../support/api-in-process/stripe-objects";
import { type Consent, type Deeds, intentOf, mayBeSentAgain } from "./deeds";
import type { World } from "./world";

/** The states that may follow each state of a sign-up or a message. */
const FORWARD: Record<string, string[]> = {
  pending: ["card_set_up", "ended"],
  card_set_up: ["trialing", "past_due", "canceled", "ended"],
  active: ["past_due", "canceled"],
  trialing: ["active", "past_due", "canceled"],
  past_due: ["active", "canceled"],
  // Only without a plan, if sales subscribe the customer after the trial.
  canceled: ["trialing", "active", "past_due"],
  due: ["sent", "dropped", "dead"],
  // A reminder whose end comes back.
  dropped: ["due"],
};

/** Long after the last fault, the database, Stripe, receivers and visitors agree. */
export function checkEnd(world: World, deeds: Deeds): void {
  const left = leftIn(world, deeds);
  checkTrials(left);
  for (const row of left.rows) checkSignUp(row, left);
  checkMessages(left);
  checkStripe(left);
  checkVisitors(left);
}

type Left = ReturnType<typeof leftIn>;
type Row = Left["rows"][number];

function leftIn(world: World, deeds: Deeds) {
  const { stripe, now, got } = world;
  const wrong = (isWrong: boolean, line: string) => isWrong && world.violate(line);
  // Work due ten minutes ago is done: the cron handler has run ten times since.
  const overdue = new Date(now - 10 * MINUTE).toISOString();
  const isOverdue = (time: unknown) => typeof time === "string" && time < overdue;
  const rows = world.rows("SELECT * FROM sign_ups");
  const messages = world.rows("SELECT * FROM outbox");
  const isSent = (key: string) => got.has(key) && messages.some((one) => one.key === key && one.state === "sent");
  return { ...deeds, world, stripe, now, got, wrong, isOverdue, rows, messages, isSent };
}

/** States only go forward, and nobody has two trials. */
function checkTrials(left: Left): void {
  const { world, rows, consents, sold, wrong } = left;
  for (const { what, id, was, became } of world.rows("SELECT * FROM changes")) {
    const customerId = rows.find((row) => row.id === id)?.stripe_customer_id;
    const isAgain = was === "canceled" && !sold.has(String(customerId));
    wrong(isAgain, `The ${what} ${id} is ${became} again, but nobody sold it`);
    const mayFollow = FORWARD[String(was)]?.includes(String(became));
    wrong(!mayFollow, `The ${what} ${id} went from ${was} to ${became}, which it may not`);
  }
  const cards = rows.map((row) => consents.find((one) => one.setupIntent === row.stripe_setup_intent_id)?.card);
  const isTwice = world.conditions.onePerPerson && new Set(cards).size < cards.length;
  wrong(isTwice, `One of the cards ${cards} has two trials`);
  const emails = rows.filter((row) => row.end_reason === null).map(({ email }) => email);
  wrong(new Set(emails).size < emails.length, `One of the email addresses ${emails} has two trials`);
}

function checkSignUp(row: Row, left: Left): void {
  const { stripe, now, wrong, isOverdue, isSent, messages, consents } = left;
  const { erased, closed, verified, sold } = left;
  const { id, status, email, end_reason, check_at, package_id, stripe_customer_id, stripe_subscription_id } = row;
  const name = `The sign-up of ${email}`;
  const isUnfinished = ["pending", "card_set_up", "ended"].includes(String(status));
  wrong(isUnfinished, `${name} is still ${status} long after the last fault, so its visitor waits in vain`);
  wrong(isOverdue(check_at), `${name} is forgotten: the cron handler should have looked at it by ${check_at}`);
  const isErased = erased.some((one) => one.email === email && one.at > Date.parse(String(row.created_at)));
  wrong(isErased, `${name} is still stored although the operator was told that it is erased`);
  const consent = consents.find(({ setupIntent }) => setupIntent === row.stripe_setup_intent_id);
  const isOfPlan = consent && (consent.plan.id ?? null) === package_id;
  wrong(!isOfPlan, `${name} is ${status} but nobody entered a card for its plan`);
  const isOver = Date.parse(String(row.trial_end)) < now - 2 * HOUR;
  const made = stripe.all("subscription", String(stripe_customer_id));
  const isSold = sold.has(String(stripe_customer_id));
  // A sale whose event is lost is found at the trial's end, or never.
  const isFound = stripe_subscription_id !== null || made.every(({ id }) => stripe.events.haveArrived(id));
  const wanted = package_id === null && !isSold ? [] : [stripe_subscription_id];
  const ids = isFound ? made.map((one) => one.id) : wanted;
  const isWithoutEnd = package_id === null && !isSold && isOver && status !== "canceled";
  wrong(isWithoutEnd, `${name} has no plan but did not end with its trial`);
  const isSame = ids.join() === wanted.join();
  wrong(!isSame, `${name} pays for the subscriptions [${ids}] at Stripe, but its account has [${wanted}]`);
  for (const one of made) checkSubscriptionOf(row, one, left);
  wrong(closed.includes(String(id)) && end_reason !== "not-me", `${name} did not end although its owner was told so`);
  const isUnheard = end_reason === "not-me" && !isSent(`account-closed/${id}`);
  wrong(isUnheard, `${name} has ended but the console did not hear of it`);
  const isVerified = end_reason !== null || isSent(`email-verified/${id}`);
  const declines = stripe.events.count("setup_intent.setup_failed", String(id));
  const declined = Number(row.declined_cards);
  wrong(declined > declines, `${name} has ${declined} declined cards, but Stripe declined ${declines}`);
  wrong(verified.includes(String(id)) && !isVerified, `${name} is not verified although its link was opened`);
  // A trial may be canceled before its email is written.
  const hasEnded = status === "canceled" || made.some((one) => one.status === "canceled");
  const isCutShort = made.some(({ trial_end = 0, end_set_at = 0 }) => trial_end * SECOND <= end_set_at);
  wrong(!hasEnded && !isCutShort && !isSent(`trial-started/${id}`), `${name} has a trial but got no email about it`);
  wrong(!hasEnded && !isSent(`account-created/${id}`), `${name} has a trial but no account at the console`);
  const reminder = messages.find(({ key }) => key === `trial-ending/${id}/${String(row.trial_end).slice(0, 10)}`);
  // An end that was moved may come too soon for a reminder, or its event too late.
  const isSudden = made.some(
    ({ id, trial_end = 0, end_set_at }) =>
      end_set_at !== undefined &&
      (trial_end * SECOND - end_set_at < 2 * DAY || !stripe.events.haveArrived(id, DAY / 2)),
  );
  const isCharged = !hasEnded && isOver && package_id !== null;
  wrong(isCharged && !isSudden && reminder?.state !== "sent", `${name} was charged without a reminder`);
}

function checkSubscriptionOf(row: Row, one: StripeObject, left: Left): void {
  const { stripe, now, wrong, isSent, sold } = left;
  const { id, status, email, end_reason, check_at } = row;
  const shown = ["unpaid", "paused"].includes(one.status ?? "") ? "past_due" : one.status;
  // A lost event is made up for an hour after the trial's end, then daily; before a sign-up without a plan ends.
  const planned = Date.parse(String(check_at ?? row.trial_end));
  const isPromised =
    planned <= Math.max(Date.parse(String(row.trial_end)) + HOUR, now + DAY) && !stripe.events.haveArrived(one.id);
  const isShown = shown === status || isPromised;
  wrong(!isShown, `The console shows ${email} an account that is ${status}, but the subscription is ${one.status}`);
  const isEnd = Date.parse(String(row.trial_end)) === (one.trial_end ?? 0) * SECOND;
  const isEndWrong = !isEnd && !isPromised && status !== "canceled";
  wrong(isEndWrong, `The sign-up of ${email} ends its trial on ${row.trial_end}, but Stripe later`);
  const isPaid = stripe.all("invoice", one.customer).some(({ amount_paid = 0 }) => amount_paid > 0);
  // Nobody looks at an ended sign-up again, so a sale that comes later is known by its events alone.
  const isClosed = end_reason !== null && (!sold.has(one.customer ?? "") || stripe.events.hasArrived(one.id));
  const isUntold = isClosed && isPaid && !isSent(`not-me-reported/${id}`);
  wrong(isUntold, `${email} was charged, but support did not hear that they never signed up`);
  const isOpen = isClosed && shown !== "canceled";
  wrong(isOpen, `${email} was told that the account is closed, but the subscription at Stripe is ${one.status}`);
}

function checkMessages(left: Left): void {
  const { world, rows, messages, got, wrong, isOverdue } = left;
  for (const { key, state, attempts, next_attempt_at } of messages) {
    const isLate = state === "due" && (attempts !== 0 || isOverdue(next_attempt_at));
    wrong(isLate, `The message ${key} never went out: it is still due`);
    wrong(state === "dead", `The message ${key} could not be delivered and is dead`);
  }
  for (const [key, count] of got) {
    // A deleted sign-up's messages were deleted with it.
    const isKept = rows.some(({ id }) => key.includes(String(id)));
    wrong(isKept && !messages.some((one) => one.key === key), `The message ${key} went out but is not in the outbox`);
    wrong(world.conditions.isSound && count > 1, `The message ${key} arrived ${count} times although nothing failed`);
  }
}

function checkStripe(left: Left): void {
  const { stripe, rows, wrong } = left;
  for (const { id, object, customer, status, deleted, payment_method } of stripe.objects.values()) {
    const customerId = object === "customer" ? id : (customer ?? "");
    const row = rows.find((one) => one.stripe_customer_id === customerId);
    // A late customer is deleted by its event, if that arrives within an hour.
    const isLate = !stripe.events.haveArrived(customerId, HOUR);
    const isOpen = status === "requires_payment_method" && !stripe.get(customer)?.deleted;
    const isLeft = !row && !isLate && ((object === "customer" && !deleted) || isOpen);
    wrong(isLeft, `Stripe keeps ${id}, with the data of a person who has no sign-up any more`);
    const isKept = payment_method && stripe.get(payment_method)?.customer === customer;
    const isOfRow = row?.stripe_setup_intent_id === id && row.end_reason === null;
    wrong(!!isKept && !isOfRow, `The card of ${id} is kept at Stripe without a trial`);
  }
}

/** Each card and each answer that a visitor got has a reason. */
function checkVisitors(left: Left): void {
  const { world, stripe, rows, wrong, sentForms, consents, refused, erased, removed, firstSent, reportedNotMe } = left;
  const signUpIdOf = ({ setupIntent }: Consent) => stripe.get(setupIntent)?.metadata.sign_up_id ?? "";
  const wasErased = (email: string) => erased.some((one) => one.email === email);
  // Other sign-ups of this email address were refused before its card was removed.
  const wasRemoved = (of: string) => consents.some((one) => one.email === of && removed.has(one.setupIntent));
  const hasTrial = (email: string) => wasErased(email) || wasRemoved(email) || rows.some((row) => row.email === email);
  const isOfTrial = ({ email, setupIntent }: Consent) =>
    wasErased(email) || removed.has(setupIntent) || rows.some((row) => row.stripe_setup_intent_id === setupIntent);
  for (const one of [...consents, ...refused]) {
    const { name, key, email, at, card, setupIntent } = one;
    const signUpId = signUpIdOf(one);
    // Of all tabs: declined cards, and earlier cards that already had a trial.
    const used = consents.filter((other) => other !== one && signUpIdOf(other) === signUpId);
    const failed = stripe.events.count("setup_intent.setup_failed", signUpId) + used.length;
    const cardUsed = world.conditions.onePerPerson && consents.some((other) => other.card === card && isOfTrial(other));
    const isLate = refused.includes(one) && at >= (firstSent.get(key) ?? 0) + DAY;
    const reportedAt = reportedNotMe.get(signUpId) ?? Infinity;
    // A card that was set up before the report may still have been waiting for its trial.
    const isReported = reportedAt < (refused.includes(one) ? at : Infinity);
    const hasReason =
      hasTrial(email) || cardUsed || failed >= MAX_FAILED_CARDS || isLate || isReported || removed.has(setupIntent);
    const did = refused.includes(one) ? "could not set up" : "set up";
    wrong(!hasReason, `${name} ${did} a card and has no trial, without a reason`);
  }
  for (const { name, reply, plan, email } of sentForms) {
    wrong(reply?.status === 422, `${name} got a 422 for a valid form`);
    const isRefused = reply?.status === 409 && !mayBeSentAgain(reply);
    wrong(isRefused && !hasTrial(email), `${name} got a 409 although ${email} has no trial`);
    const intent = stripe.get(intentOf(reply));
    const isOfForm = intent?.metadata.package_id === plan.id && stripe.get(intent?.customer)?.email === email;
    wrong(reply?.status === 200 && !isOfForm, `${name} got another form's client secret`);
  }
}
