/*
 * What a visitor should see after each step of a sign-up, said as simply as possible: the pages that a session leads to,
 * and what a post, a card and time make of it. Hours instead of times, plans and email addresses by their number.
 */

export interface Details {
  plan: number;
  email: number;
  company: string;
}

/** A sign-up that the API has taken. */
export interface SignUp extends Details {
  /** The form and the details that it was sent with. */
  key: string;
  card: "open" | "set up" | "canceled";
  declined: number;
  /** Whether its trial has begun: only the first card of an email address begins one. */
  hasTrial: boolean;
}

/** A sign-up as a browser holds it. */
interface Held {
  signUp: SignUp;
  resumed: boolean;
  hours: number;
  hoursOfDay: number;
}

/** The last three are at the form: with the details, empty and with an offer, with the details and the news that it was canceled. */
type At = "card" | "waiting" | "form" | "aside" | "ended";
type InProgress = Held & { at: At; news?: "saved" | "failed" | undefined; other?: Held | undefined };

export type Session =
  | { at: "nothing" | "unreadable" }
  | InProgress
  | { at: "done"; signUp: SignUp; isNews: boolean; hoursOfDay: number; other?: Held | undefined };

/** `other` is another sign-up that the page offers to go on with; `returned` the one that came back without its session. */
export type Page = { other?: SignUp | undefined; returned?: SignUp } & (
  | {
      kind: "form";
      details?: Details | undefined;
      waiting?: number;
      /** The sign-up that the form replaces. */
      madeFrom?: SignUp | undefined;
      notice?: "expired" | "unreadable" | "canceled" | "blocked" | "taken" | "unreachable" | undefined;
    }
  | { kind: "card"; signUp: SignUp; news?: "saved" | "failed" | undefined; hasLink: boolean }
  | { kind: "waiting" }
  | { kind: "resume"; signUp: SignUp; state: "ready" | "busy"; notice?: "canceled" | "finished" | undefined }
  | { kind: "done"; signUp: SignUp; isNews: boolean }
);

const isHeld = (session: Session): session is InProgress => "hours" in session;
const isOver = (session: InProgress) => session.hours <= 0 && ["card", "waiting"].includes(session.at);
const renewed = (held: InProgress): InProgress => ({ ...held, hours: Math.min(2, held.hoursOfDay) });

function besides(session: Session): Held | undefined {
  if (!isHeld(session) || session.at === "ended") return undefined;
  const { signUp, resumed, hours, hoursOfDay } = session;
  return { signUp, resumed, hours, hoursOfDay };
}

export class Device {
  keepsCookies = true;
  #session: Session = { at: "nothing" };

  get session(): Session {
    return this.#session;
  }

  set session(session: Session) {
    if (this.keepsCookies) this.#session = session;
  }

  /** Makes the sign-up of an older page the one that its buttons are about; undefined when this browser has no such. */
  #about(signUp: SignUp | undefined): InProgress | undefined {
    const { session } = this;
    const other = "other" in session ? session.other : undefined;
    if (other && other.signUp === signUp) return { ...other, at: "card", other: besides(session) };
    return isHeld(session) ? session : undefined;
  }

  /** Opens the page of a plan. What is told once leaves the session with it. */
  open(plan: number, isStripeUp: boolean): Page {
    const { session } = this;
    if (session.at === "nothing") return { kind: "form" };
    if (session.at === "unreadable") {
      this.session = { at: "nothing" };
      return { kind: "form", notice: "unreadable" };
    }
    if (!("signUp" in session)) throw new Error("There is no such session");
    const { signUp } = session;
    const isThisPlan = signUp.plan === plan;
    const other = session.other && session.other.hours > 0 ? session.other.signUp : undefined;
    if (session.at === "done") {
      if (!isThisPlan) return { kind: "form", other };
      this.session = { ...session, isNews: false };
      return { kind: "done", signUp, isNews: session.isNews, other };
    }
    if (session.at === "aside") return { kind: "form", other: signUp };
    if (session.at === "ended") return { kind: "form", details: signUp, notice: "canceled", other };
    if (session.at === "form") return { kind: "form", details: signUp, madeFrom: signUp, other };
    if (isOver(session)) {
      if (this.#askStripe(session, isStripeUp)) return this.open(plan, isStripeUp);
      this.session = { ...session, at: "form", news: undefined };
      return { kind: "form", details: signUp, madeFrom: signUp, notice: "expired", other };
    }
    if (!isThisPlan) {
      const wanted = this.#about(other);
      if (other?.plan !== plan || !wanted)
        return { kind: "form", details: signUp, madeFrom: signUp, waiting: signUp.plan, other };
      this.session = wanted;
      return this.open(plan, isStripeUp);
    }
    if (session.at === "waiting") {
      if (!isStripeUp) return { kind: "waiting", other };
      this.#askStripe(session, true);
      return this.open(plan, true);
    }
    this.session = { ...session, news: undefined };
    return { kind: "card", signUp, news: session.news, hasLink: !session.resumed, other };
  }

  /** The session after Stripe was asked about its card; false when it stays as it was, because it has expired. */
  #askStripe(session: InProgress, isStripeUp: boolean): boolean {
    const { signUp, hoursOfDay, other } = session;
    const at = session.at === "form" || session.at === "aside" ? "form" : "card";
    if (!isStripeUp) this.session = { ...renewed(session), at: "waiting", news: undefined };
    else if (signUp.hasTrial) this.session = { at: "done", signUp, isNews: true, hoursOfDay, other };
    else if (isOver(session)) return false;
    else if (signUp.card !== "open") this.session = { ...renewed(session), at: "ended", news: undefined };
    else this.session = { ...renewed(session), at, news: "failed" };
    return true;
  }

  wait(hours: number): void {
    const { session } = this;
    if (!("hoursOfDay" in session)) return;
    const later = <Time extends Held>(held: Time) => ({
      ...held,
      hours: held.hours - hours,
      hoursOfDay: held.hoursOfDay - hours,
    });
    const other = session.other && later(session.other);
    if (session.hoursOfDay <= hours) this.session = { at: "unreadable" };
    else if (session.at === "done") this.session = { ...session, hoursOfDay: session.hoursOfDay - hours, other };
    else this.session = { ...later(session), other };
  }

  /** Sends a form; the new sign-up's key, and the one that it was made from. False for one that was sent before. */
  returnsTo(key: string, madeFrom: SignUp | undefined): boolean {
    const about = this.#about(madeFrom);
    const session = about ?? this.session;
    if ("signUp" in session && session.signUp.key === key && !(isHeld(session) && isOver(session))) {
      if (about && ["form", "aside"].includes(about.at)) this.session = renewed({ ...about, at: "card" });
      return true;
    }
    const other = "other" in session ? session.other : undefined;
    if (other?.signUp.key !== key) return false;
    this.session = renewed({ ...other, at: "card", other: besides(session) });
    return true;
  }

  /** Undefined, or the sign-up that a new form replaces; the one that then stands beside it. */
  earlier(email: number, madeFrom: SignUp | undefined): { replaced?: Held | undefined; beside?: Held | undefined } {
    const session = this.#about(madeFrom) ?? this.session;
    const all = [besides(session), "other" in session ? session.other : undefined].filter((held) => held !== undefined);
    const replaced = all.find(({ signUp }) => signUp === madeFrom) ?? all.find(({ signUp }) => signUp.email === email);
    return { replaced, beside: all.find((held) => held !== replaced && held.hours > 0) };
  }

  begin(signUp: SignUp, beside: Held | undefined): void {
    this.session = { at: "card", signUp, news: "saved", resumed: false, hours: 2, hoursOfDay: 24, other: beside };
  }

  holds(signUp: SignUp | undefined): boolean {
    return signUp !== undefined && this.#about(signUp)?.signUp === signUp;
  }

  /** What a link shows; undefined where it leads on to its sign-up. */
  stateOfLink(signUp: SignUp): "ready" | "busy" | undefined {
    const { session } = this;
    const isHere = isHeld(session) && !isOver(session) && session.at !== "ended";
    if (!isHere) return "ready";
    if (session.signUp !== signUp) return "busy";
    return session.at === "form" || session.at === "aside" ? "ready" : undefined;
  }

  /** Takes over the sign-up of another device's link; its time is that of the link. */
  resume(signUp: SignUp): void {
    this.session = { at: "card", signUp, resumed: true, hours: 2, hoursOfDay: 24 };
  }

  /** Back at the form, with the details; nothing when there is no sign-up. */
  edit(signUp: SignUp): void {
    const session = this.#about(signUp);
    if (!session) return;
    const at = session.at === "ended" ? "ended" : "form";
    this.session = { ...renewed(session), at, news: undefined };
  }

  /** An empty form, which offers the other sign-up. */
  startOver(signUp: SignUp | undefined): void {
    const session = this.#about(signUp) ?? this.session;
    const other = "other" in session ? session.other : undefined;
    this.session = other ? { ...other, at: "aside" } : { at: "nothing" };
  }

  keepLonger(signUp: SignUp): void {
    const session = this.#about(signUp);
    if (session && !isOver(session) && session.at !== "ended") this.session = renewed(session);
  }

  /** Goes on with the other sign-up; its plan, when there is such a one. */
  switchTo(signUp: SignUp): number | undefined {
    const session = this.#about(signUp);
    if (session?.signUp !== signUp || isOver(session) || session.at === "ended") return undefined;
    this.session = renewed({ ...session, at: "card" });
    return signUp.plan;
  }

  /** An open page says that the card of its sign-up is set up. */
  finish(signUp: SignUp, isStripeUp: boolean): void {
    const session = this.#about(signUp);
    if (session?.signUp === signUp) this.#askStripe(session, isStripeUp);
    else if (isStripeUp && signUp.hasTrial)
      this.session = { at: "done", signUp, isNews: true, hoursOfDay: 24, other: besides(this.session) };
  }

  /** The bank leads back to the page, with the sign-up's secret in the URL. What it shows to a browser without a session. */
  returnFromBank(signUp: SignUp, isStripeUp: boolean): Page | undefined {
    const session = this.#about(signUp);
    // Whoever comes back from the bank has not left.
    if (session?.signUp === signUp) this.#askStripe(renewed(session), isStripeUp);
    if (session || "signUp" in this.session) return undefined;
    if (!isStripeUp) return { kind: "waiting", returned: signUp };
    if (signUp.hasTrial) return { kind: "done", signUp, isNews: true, returned: signUp };
    return { kind: "resume", signUp, state: "ready" };
  }
}

/** The subscription API, and Stripe behind it. */
export class Backend {
  readonly signUps: SignUp[] = [];

  hasTrial(email: number): boolean {
    return this.signUps.some((signUp) => signUp.email === email && signUp.hasTrial);
  }

  /** Undefined for an email address that has its trial. */
  take(key: string, details: Details, replaced: SignUp | undefined): SignUp | undefined {
    // After its fifth declined card the API has forgotten a sign-up; one that was replaced it knows.
    const known = this.signUps.find((signUp) => signUp.key === key && signUp.declined < 5);
    if (!known?.hasTrial && (known?.card === "canceled" || this.hasTrial(details.email))) return undefined;
    const signUp: SignUp = known ?? { ...details, key, card: "open", declined: 0, hasTrial: false };
    if (!known) this.signUps.push(signUp);
    if (replaced && replaced !== signUp && replaced.card === "open") replaced.card = "canceled";
    return signUp;
  }

  enterCard(signUp: SignUp, works: boolean): void {
    if (signUp.card !== "open") return;
    if (works) {
      signUp.card = "set up";
      signUp.hasTrial = !this.hasTrial(signUp.email);
    } else if (++signUp.declined === 5) signUp.card = "canceled";
  }
}
