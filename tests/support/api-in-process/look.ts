import type { SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import type { signUpsInProcess } from "./sign-ups";

/**
 * The sign-up here | its messages | what is at Stripe, in words. "claimed": its address and the card have had their trial.
 */
export function look(
  { rows, model, services }: ReturnType<typeof signUpsInProcess>,
  { id, email, stripe_customer_id }: SignUp,
  card = "a card",
): string {
  const [row] = rows("SELECT * FROM sign_ups WHERE id = ?", id);
  const customer = model.get(String(row?.stripe_customer_id ?? stripe_customer_id));
  const messages = rows("SELECT kind FROM outbox WHERE sign_up_id = ? ORDER BY kind", id).map(({ kind }) => kind);
  const intents = customer ? model.all("setup_intent", customer.id) : [];
  const cards = customer ? model.all("payment_method", customer.id) : [];
  const failed = Number(row?.declined_cards) ? [`${row?.declined_cards} declined`] : [];
  const used = Number(row?.used_cards) ? [`${row?.used_cards} used`] : [];
  const claim = services.claims.of(email, card);
  const isClaimed = (hash = "") =>
    rows("SELECT 1 FROM trial_claims WHERE hash = ? AND sign_up_id = ?", hash, id).length > 0;
  const [isAddress, isCard] = [isClaimed(claim.email[0]), isClaimed(claim.card ?? "")];
  const claimed =
    isAddress && isCard
      ? ["claimed"]
      : [...(isAddress ? ["address claimed"] : []), ...(isCard ? ["card claimed"] : [])];
  const minutes = (Date.parse(String(row?.check_at)) - Date.now()) / 60_000;
  const check = row?.check_at ? [`check in ${minutes} min`] : [];
  const days = (Date.parse(String(row?.trial_end)) - Date.now()) / 86_400_000;
  const until = row?.trial_end ? [`trial of ${days} days`] : [];
  const here = row
    ? [row.status, row.end_reason, ...failed, ...used, ...claimed, ...until, ...check].filter(Boolean).join(", ")
    : "deleted";
  const atStripe = [
    ...(customer?.deleted ? ["no customer"] : []),
    ...intents.filter(({ status }) => status === "requires_payment_method").map(() => "form"),
    ...cards.map(() => "card"),
    ...(customer ? model.all("subscription", customer.id) : []).map(({ status }) => `subscription ${status}`),
  ];
  return `${here} | ${messages.join(" ")} | ${atStripe.join(", ")}`.trim();
}
