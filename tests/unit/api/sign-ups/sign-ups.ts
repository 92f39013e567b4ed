import { expect, onTestFinished, vi } from "vitest";
import { type Config, readConfig } from "../../../../functions/subscription-api/config";
import { servicesFor } from "../../../../functions/subscription-api/services";
import type { SignUp } from "../../../../functions/subscription-api/sign-up";
import type { SignUpServices } from "../../../../functions/subscription-api/sign-ups/create-sign-up";
import { signUpStatus } from "../../../../functions/subscription-api/sign-ups/sign-up-status";
import { apiInProcess } from "../../../support/api-in-process/api";
import type { Io } from "../../../support/api-in-process/database";
import { DAY, MINUTE } from "../../../support/api-in-process/scheduler";
import { cheapPasswords } from "../../../support/cheap-passwords";
import type { validRequest } from "../../../support/person";

type Fields = Partial<typeof validRequest>;
type Options = { onePerPerson?: boolean; settings?: Record<string, unknown>; io?: Io };

/** The API's services in process, with sign-ups that exist in the model of Stripe. */
export function signUpsInProcess({ onePerPerson = false, settings, io }: Options = {}) {
  let comesBefore = async (_sql: string): Promise<void> => undefined;
  const api = apiInProcess({
    settings: { ONE_TRIAL_PER_PERSON: String(onePerPerson), ...settings },
    io: async (sql, effect) => {
      await comesBefore(sql.trim());
      return io ? io(sql, effect) : effect();
    },
  });
  const services: ReturnType<typeof servicesFor> & SignUpServices = {
    ...servicesFor(configurationOf(api.env)),
    passwords: { ...cheapPasswords, release: () => {} },
  };
  const find = async (id: string): Promise<SignUp> => {
    const found = await services.signUps.find(id);
    if (!found) throw new Error("There is no such sign-up");
    return found;
  };
  /** Sets columns of a sign-up, as SQL. */
  const change = (id: string, columns: string) => {
    api.rows(`UPDATE sign_ups SET ${columns} WHERE id = ?`, id);
    return find(id);
  };
  /** A sign-up without objects at Stripe. */
  const unknownToStripe = async (fields: Fields = {}, columns = "status = 'pending'") =>
    change((await api.signUp(fields)).id, columns);
  /** A pending sign-up, with its setup intent at Stripe. */
  const pending = async (fields: Fields = {}, columns = "status = 'pending'") => {
    const signUp = await api.signUp(fields);
    const customerId = await services.payments.findOrCreateCustomer(signUp);
    const { id } = await services.payments.findOrCreateSetupIntent(signUp, customerId);
    const ids = `stripe_customer_id = '${customerId}', stripe_setup_intent_id = '${id}'`;
    const changed = await change(signUp.id, `${ids}, ${columns}`);
    api.calls.length = 0;
    return { ...changed, stripe_customer_id: customerId, stripe_setup_intent_id: id };
  };
  /** Sets up a card without a webhook. */
  const enterCard = ({ stripe_setup_intent_id }: SignUp, fingerprint = "a card"): void =>
    void api.model.confirm(stripe_setup_intent_id ?? "", fingerprint, false);
  /** A sign-up after its card was set up: with a trial, if the card and the address have not had one. */
  const onTrial = async (fields: Fields = {}, fingerprint?: string): Promise<SignUp> => {
    const signUp = await pending(fields);
    enterCard(signUp, fingerprint);
    await signUpStatus(signUp.id, services);
    api.calls.length = 0;
    return find(signUp.id);
  };
  /** Sets the clock of the API and of Stripe. */
  const set = (now: number): void => {
    vi.setSystemTime(now);
    api.model.scheduler.now = now;
  };
  /** Does this once, just before the next statement that contains the text, or call to Stripe that begins with it. */
  const before = (step: string, act: () => unknown): void => {
    let isDone = false;
    const once = async (): Promise<undefined> => {
      if (isDone) return;
      isDone = true;
      await act();
    };
    if (/^(GET|POST|DELETE) [a-z]/.test(step)) api.instead.set(step, once);
    else comesBefore = async (sql) => (sql.includes(step) ? once() : undefined);
    onTestFinished(() => expect(isDone, `something comes before "${step}"`).toBe(true));
  };
  return { ...api, services, find, change, unknownToStripe, pending, enterCard, onTrial, set, before };
}

/** Returns the configuration of valid settings; throws an error with the problems of invalid ones. */
export function configurationOf(env: Record<string, unknown>): Config {
  const result = readConfig({ ...env });
  if (result.status === "invalid") throw new Error(JSON.stringify(result.problems));
  return result.configuration;
}

/** A sign-up's state. Leaves out columns that still have their first value. */
export type Standing = {
  status: string;
  endReason?: string;
  declined?: number;
  used?: number;
  /** What has had its trial by this sign-up. */
  claimed?: string;
  trialDays?: number;
  /** Minutes until the cron handler looks at it. */
  checkIn?: number;
  /** Kinds of its messages that are due, and of its reminder, in order. */
  messages: string[];
  atStripe: string[];
};

export function look({ rows, model, services }: ReturnType<typeof signUpsInProcess>, signUp: SignUp): Standing {
  const { id, email, stripe_customer_id } = signUp;
  const [row] = rows("SELECT * FROM sign_ups WHERE id = ?", id);
  const isDue = "(next_attempt_at <= ? OR kind = 'trial-ending')";
  const found = `SELECT kind FROM outbox WHERE sign_up_id = ? AND ${isDue} ORDER BY kind`;
  const messages = rows(found, id, new Date().toISOString()).map(({ kind }) => `${kind}`);
  const customer = model.get(String(row?.stripe_customer_id ?? stripe_customer_id));
  const all = (object: string) => (customer ? model.all(object, customer.id) : []);
  const intents = all("setup_intent").map(({ status }) => status);
  const atStripe = [
    ...(customer?.deleted ? ["no customer"] : []),
    ...(intents.includes("requires_payment_method") ? ["form"] : []),
    ...(intents.includes("processing") ? ["card in processing"] : []),
    ...all("payment_method").map(() => "card"),
    ...all("subscription").map(({ status }) => `subscription ${status}`),
  ];
  if (!row) return { status: "deleted", messages, atStripe };

  const held = rows("SELECT hash FROM trial_claims WHERE sign_up_id = ?", id).map(({ hash }) => hash);
  const hashes = { address: services.trialHashes.ofEmail(email)[0], card: services.trialHashes.ofCard("a card") };
  const claimed = Object.entries(hashes).filter(([, hash]) => held.includes(hash ?? ""));
  const until = (time: unknown, unit: number) => (Date.parse(String(time)) - Date.now()) / unit;
  return {
    ...{ status: String(row.status), messages, atStripe },
    ...(row.end_reason !== null && { endReason: String(row.end_reason) }),
    ...(row.declined_cards !== 0 && { declined: Number(row.declined_cards) }),
    ...(row.used_cards !== 0 && { used: Number(row.used_cards) }),
    ...(claimed.length > 0 && { claimed: claimed.map(([what]) => what).join(" and ") }),
    ...(row.trial_end !== null && { trialDays: until(row.trial_end, DAY) }),
    ...(row.check_at !== null && { checkIn: until(row.check_at, MINUTE) }),
  };
}
