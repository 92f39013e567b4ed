import Stripe from "stripe";
import { vi } from "vitest";
import { servicesFor } from "../../../functions/subscription-api/services";
import type { SignUpServices } from "../../../functions/subscription-api/sign-ups/create-sign-up";
import type { SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { signUpStatus } from "../../../functions/subscription-api/sign-ups/sign-up-status";
import { cheapPasswords } from "../cheap-passwords";
import type { validRequest } from "../visitors/visitor";
import { answersOf, apiInProcess, configurationOf, type Upstream } from "./api";
import type { Io } from "./database";
import { DAY, MINUTE } from "./scheduler";
import { type Answer, answer } from "./stripe-model";

type Fields = Partial<typeof validRequest>;

/** A request to Stripe, with the parameters of its body or query. */
type Sent = { call: string; params: Record<string, string>; key: string | null; redirect: RequestInit["redirect"] };

type Instead = (...given: Parameters<Upstream>) => Promise<Answer | Response | undefined> | Answer | undefined;

type Options = { onePerPerson?: boolean; settings?: Record<string, unknown>; io?: Io };

/** The API's services in process, with sign-ups that exist in the model of Stripe. */
export function signUpsInProcess({ onePerPerson = false, ...options }: Options = {}) {
  // Retries without a pause.
  for (const delay of ["getInitialNetworkRetryDelay", "getMaxNetworkRetryDelay"] as const)
    vi.spyOn(Stripe.prototype, delay).mockReturnValue(0.001);

  /** Method and path of each Stripe call, in order. */
  const calls: string[] = [];
  const sent: Sent[] = [];
  /** Overrides Stripe's answer to calls whose method and path begin with the text, or runs work before the model's answer. */
  const instead = new Map<string, Answer | Instead>();
  const api: ReturnType<typeof apiInProcess> = apiInProcess({
    ...options,
    settings: { ONE_TRIAL_PER_PERSON: String(onePerPerson), ...options.settings },
    async upstream(url, request) {
      const model = answersOf(api.model);
      if (!url.pathname.startsWith("/v1/")) return model(url, request);
      const call = `${request.method} ${url.pathname.replace("/v1/", "")}`;
      const params = Object.fromEntries(new URLSearchParams((await request.clone().text()) || url.search));
      calls.push(call);
      sent.push({ call, params, key: request.headers.get("idempotency-key"), redirect: request.redirect });
      const given = [...instead].find(([beginning]) => call.startsWith(beginning))?.[1];
      const other = typeof given === "function" ? await given(url, request) : given;
      if (other instanceof Response) return other;
      return other ? new Response(other.text, other) : model(url, request);
    },
  });

  const services: ReturnType<typeof servicesFor> & SignUpServices = {
    ...servicesFor(configurationOf(api.env)),
    passwords: { ...cheapPasswords, leave: () => {} },
    requestId: "the-request",
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
  /** A pending sign-up, with its setup intent at Stripe. */
  const pending = async (fields: Fields = {}, columns = "status = 'pending'") => {
    const signUp = await api.signUp(fields);
    const customerId = await services.payments.findOrCreateCustomer(signUp);
    const { id } = await services.payments.findOrCreateSetupIntent(signUp, customerId);
    const ids = `stripe_customer_id = '${customerId}', stripe_setup_intent_id = '${id}'`;
    const changed = await change(signUp.id, `${ids}, ${columns}`);
    calls.length = 0;
    return { ...changed, stripe_customer_id: customerId, stripe_setup_intent_id: id };
  };
  /** Sets up a card without a webhook. */
  const enterCard = ({ stripe_setup_intent_id }: SignUp, fingerprint = "a card"): void => {
    api.model.confirm(stripe_setup_intent_id ?? "", fingerprint, false);
  };

  return {
    ...{ ...api, services, calls, sent, instead, find, change, pending, enterCard },
    /** A sign-up without objects at Stripe. */
    unknownToStripe: async (fields: Fields = {}, columns = "status = 'pending'") =>
      change((await api.signUp(fields)).id, columns),
    /** A sign-up whose trial has begun. */
    async onTrial(fields: Fields = {}, fingerprint?: string): Promise<SignUp> {
      const signUp = await pending(fields);
      enterCard(signUp, fingerprint);
      await signUpStatus(signUp.id, services);
      calls.length = 0;
      return find(signUp.id);
    },
    /** Kinds and times of due messages, in order. */
    messages: () => api.rows("SELECT kind, next_attempt_at FROM outbox ORDER BY kind"),
  };
}

type SignUpsInProcess = ReturnType<typeof signUpsInProcess>;

/** The API's services with one fixed answer from Stripe, and the requests to it. */
export function stripeThatAnswers(body: object) {
  const { services, sent, instead } = signUpsInProcess();
  instead.set("", answer(200, body));
  return { ...services, sent };
}

/**
 * The sign-up here | its messages | what is at Stripe, in words. "claimed": its address and the card have had their trial.
 */
export function look(
  { rows, model, services }: SignUpsInProcess,
  { id, email, stripe_customer_id }: SignUp,
  card = "a card",
): string {
  const [row] = rows("SELECT * FROM sign_ups WHERE id = ?", id);
  const customer = model.get(String(row?.stripe_customer_id ?? stripe_customer_id));
  const messages = rows("SELECT kind FROM outbox WHERE sign_up_id = ? ORDER BY kind", id).map(({ kind }) => kind);
  const all = (object: string) => (customer ? model.all(object, customer.id) : []);
  const hashes = services.claims.of(email, card);
  const isClaimed = (hash = "") =>
    rows("SELECT 1 FROM trial_claims WHERE hash = ? AND sign_up_id = ?", hash, id).length > 0;
  const claims = [isClaimed(hashes.email[0]) && "address", isClaimed(hashes.card ?? "") && "card"].filter(Boolean);
  const claimed = claims.length === 2 ? "claimed" : claims.length && `${claims} claimed`;
  const until = (time: unknown, unit: number) => (Date.parse(String(time)) - Date.now()) / unit;
  const here = [
    ...[row?.status ?? "deleted", row?.end_reason, row?.declined_cards && `${row.declined_cards} declined`],
    ...[row?.used_cards && `${row.used_cards} used`, row && claimed],
    row?.trial_end && `trial of ${until(row.trial_end, DAY)} days`,
    row?.check_at && `check in ${until(row.check_at, MINUTE)} min`,
  ];
  const atStripe = [
    ...(customer?.deleted ? ["no customer"] : []),
    ...all("setup_intent").flatMap(({ status }) => (status === "requires_payment_method" ? "form" : [])),
    ...all("payment_method").map(() => "card"),
    ...all("subscription").map(({ status }) => `subscription ${status}`),
  ];
  return `${here.filter(Boolean).join(", ")} | ${messages.join(" ")} | ${atStripe.join(", ")}`.trim();
}
