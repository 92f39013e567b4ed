import type { SignUp } from "../../../functions/subscription-api/sign-ups/sign-up";
import { DAY, MINUTE } from "./scheduler";
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
