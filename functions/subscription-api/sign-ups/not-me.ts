import { inParallel } from "../connections";
import { type SignUp, wasEnded } from "../sign-up";
import { advanceToNotMe } from "./transitions/advance";
import type { AdvanceServices } from "./transitions/transition";

/** What "This wasn't me" is about: the sign-ups of one email address, with the link's own first. */
export type NotMe = {
  /** To end: the link's own, and all that nobody has confirmed. */
  open: SignUp[];
  ended: SignUp[];
  /** Others that somebody with access to the mailbox has confirmed. Their own emails end them. */
  confirmed: SignUp[];
};

/** One press ends so many, because each takes several calls to Stripe. The page then asks again. */
const MOST = 20;

export async function signUpsOfNotMe(signUp: SignUp, { signUps }: Pick<AdvanceServices, "signUps">): Promise<NotMe> {
  const others = (await signUps.findByEmail(signUp.email)).filter(({ id }) => id !== signUp.id);
  const unconfirmed = others.filter(({ email_verified_at }) => email_verified_at === null);
  return {
    open: [signUp, ...unconfirmed].filter((one) => !wasEnded(one)).slice(0, MOST),
    ended: [signUp, ...others].filter((one) => (one === signUp ? wasEnded(one) : one.end_reason === "not-me")),
    confirmed: others.filter((one) => !unconfirmed.includes(one) && !wasEnded(one)),
  };
}

/** Can be repeated. Throws PaymentsError and D1's errors. */
export async function endByNotMe(signUp: SignUp, services: AdvanceServices): Promise<void> {
  const { open } = await signUpsOfNotMe(signUp, services);
  await inParallel(open, async (one) => void (await advanceToNotMe(one, services)));
}
