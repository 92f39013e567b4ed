/*
 * What a visitor should see after each step of a sign-up, said as simply as possible: the pages that a session leads to,
 * and what a post, a card and time make of it. Hours instead of times, plans and e-mail addresses by their number.
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
  card: "open" | "set up" | "cancelled";
  /** Whether its trial has begun: only the first card of an e-mail address begins one. */
  hasTrial: boolean;
}

export type Session =
  | { at: "nothing" }
  | { at: "unreadable" }
  | {
      at: "card" | "form" | "waiting";
      signUp: SignUp;
      news?: "saved" | "failed" | undefined;
      resumed: boolean;
      hours: number;
      hoursOfDay: number;
    }
  | { at: "done"; signUp: SignUp; isNews: boolean; hoursOfDay: number };

export type Page =
  | { kind: "form"; details?: Details | undefined; waiting?: number; notice?: "expired" | "unreadable" | undefined }
  | { kind: "card"; signUp: SignUp; news?: "saved" | "failed" | undefined; hasLink: boolean }
  | { kind: "waiting" }
  | { kind: "done"; signUp: SignUp; isNews: boolean };

export class Device {
  session: Session = { at: "nothing" };

  /** Opens the page of a plan. What is told once leaves the session with it. */
  open(plan: number, isStripeUp: boolean): Page {
    const { session } = this;
    if (session.at === "nothing") return { kind: "form" };
    if (session.at === "unreadable") {
      this.session = { at: "nothing" };
      return { kind: "form", notice: "unreadable" };
    }
    const { signUp } = session;
    const isThisPlan = signUp.plan === plan;
    if (session.at === "done") {
      if (!isThisPlan) return { kind: "form" };
      this.session = { ...session, isNews: false };
      return { kind: "done", signUp, isNews: session.isNews };
    }
    if (session.at === "form") return { kind: "form", details: signUp };
    if (session.hours <= 0) {
      if (isThisPlan && this.askStripe(isStripeUp)) return this.open(plan, isStripeUp);
      this.session = { ...session, at: "form", news: undefined };
      return { kind: "form", details: signUp, notice: "expired" };
    }
    if (!isThisPlan) return { kind: "form", details: signUp, waiting: signUp.plan };
    if (session.at === "waiting") {
      if (!isStripeUp) return { kind: "waiting" };
      this.askStripe(true);
      return this.open(plan, true);
    }
    this.session = { ...session, news: undefined };
    return { kind: "card", signUp, news: session.news, hasLink: !session.resumed };
  }

  /** The session after Stripe was asked about its card; false when it stays as it was, because it has expired. */
  askStripe(isStripeUp: boolean): boolean {
    const { session } = this;
    if (!("hours" in session)) return false;
    const { signUp, hoursOfDay } = session;
    const renewed = { ...session, hours: Math.min(2, hoursOfDay) };
    if (!isStripeUp) this.session = { ...renewed, at: "waiting", news: undefined };
    else if (signUp.hasTrial) this.session = { at: "done", signUp, isNews: true, hoursOfDay };
    else if (session.hours <= 0 && session.at !== "form") return false;
    else this.session = { ...renewed, at: session.at === "form" ? "form" : "card", news: "failed" };
    return true;
  }

  wait(hours: number): void {
    const { session } = this;
    if (!("hoursOfDay" in session)) return;
    const hoursOfDay = session.hoursOfDay - hours;
    if (hoursOfDay <= 0) this.session = { at: "unreadable" };
    else if (session.at === "done") this.session = { ...session, hoursOfDay };
    else this.session = { ...session, hoursOfDay, hours: session.hours - hours };
  }

  keepLonger(): void {
    const { session } = this;
    if (!("hours" in session) || (session.hours <= 0 && session.at !== "form")) return;
    this.session = { ...session, hours: Math.min(2, session.hoursOfDay) };
  }

  /** The sign-up that a new form replaces. */
  get replaced(): SignUp | undefined {
    return "hours" in this.session ? this.session.signUp : undefined;
  }

  begin(signUp: SignUp): void {
    this.session = { at: "card", signUp, news: "saved", resumed: false, hours: 2, hoursOfDay: 24 };
  }

  /** Takes over the sign-up of another device's link; its time is that of the link. */
  resume(signUp: SignUp): void {
    this.session = { at: "card", signUp, resumed: true, hours: 2, hoursOfDay: 24 };
  }

  /** Back at the form, with the details; nothing when there is no sign-up. */
  edit(): void {
    const { session } = this;
    if (!("hours" in session)) return;
    this.session = { ...session, at: "form", news: undefined, hours: Math.min(2, session.hoursOfDay) };
  }

  /** An open page says that the card of its sign-up is set up. */
  finish(signUp: SignUp, isStripeUp: boolean): void {
    const { session } = this;
    if ("hours" in session && session.signUp === signUp) this.askStripe(isStripeUp);
    else if (isStripeUp && signUp.hasTrial) {
      this.session = { at: "done", signUp, isNews: true, hoursOfDay: 24 };
    }
  }

  /** The bank leads back to the page, with the sign-up's secret in the URL. */
  returnFromBank(signUp: SignUp, isStripeUp: boolean): void {
    const { session } = this;
    if ("hours" in session && session.signUp === signUp) {
      // Whoever comes back from the bank has not left.
      this.session = { ...session, hours: Math.min(2, session.hoursOfDay) };
      this.askStripe(isStripeUp);
    } else if (session.at === "nothing" || session.at === "unreadable") {
      this.session = { at: "card", signUp, resumed: false, hours: 2, hoursOfDay: 24 };
      this.askStripe(isStripeUp);
    }
  }
}

/** The subscription API, and Stripe behind it. */
export class Backend {
  readonly signUps: SignUp[] = [];

  hasTrial(email: number): boolean {
    return this.signUps.some((signUp) => signUp.email === email && signUp.hasTrial);
  }

  /** Undefined for an e-mail address that has its trial. */
  take(key: string, details: Details, replaced: SignUp | undefined): SignUp | undefined {
    const known = this.signUps.find((signUp) => signUp.key === key);
    if (!known?.hasTrial && (known?.card === "cancelled" || this.hasTrial(details.email))) return undefined;
    const signUp: SignUp = known ?? { ...details, key, card: "open", hasTrial: false };
    if (!known) this.signUps.push(signUp);
    if (replaced && replaced !== signUp && replaced.card === "open") replaced.card = "cancelled";
    return signUp;
  }

  enterCard(signUp: SignUp, works: boolean): void {
    if (signUp.card !== "open") return;
    if (!works) return;
    signUp.card = "set up";
    signUp.hasTrial = !this.hasTrial(signUp.email);
  }
}
