import type { SignupReply, SignupStep } from "../../app/signup/steps";

/** Only for backends whose site and API run here. */
export type Company = {
  /** Changes the site's price list, as a release or a rollback does. */
  list(packageId: string, cents: number): void;
  /** Sends the operator's command `catalog`. */
  catalog(body: object): Promise<unknown>;
};

type Form = Record<string, string>;
export type Rows = Record<string, unknown>[];
/** The answer to a request: a redirect, or a page's step and the reply to a form. */
export type Answer = { cookies: string[]; sentTo?: string | null; step?: SignupStep; reply?: SignupReply };

/** The site with the API and Stripe. */
export type Backend = {
  ask(path: string, headers: { Cookie: string }, form?: Form): Promise<Answer>;
  rows(sql: string, ...values: string[]): Rows | Promise<Rows>;
  /** What Stripe charges each month for the subscriptions of an email address, in cents. */
  chargesOf(email: string): (number | undefined)[] | Promise<(number | undefined)[]>;
  /** Enters a new card, which Stripe reports to the API. Returns whether the form could still take a card. */
  enterCard(clientSecret: string, works: boolean): Promise<boolean>;
  /** Whether the API's next answers to forms get lost. */
  loseAnswers(lost: boolean): void;
  /** Only for backends whose clock can be moved. */
  wait?(hours: number): Promise<void>;
  company?: Company;
};
