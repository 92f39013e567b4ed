/*
 * What Cloudflare and Stripe publish, as read in November 2026. Compare them before you rely on a figure of
 * docs/capacity.md.
 */

/** A quantity of Cloudflare's bill: what a month includes, and US dollars for each further million. */
export interface Price {
  what: string;
  included: number;
  perMillion: number;
  source: string;
}

/** US dollars a month: https://developers.cloudflare.com/workers/platform/pricing/ */
export const WORKERS_PAID = 5;

const WORKERS = "https://developers.cloudflare.com/workers/platform/pricing/";
const D1 = "https://developers.cloudflare.com/d1/platform/pricing/";

export const PRICES = {
  requests: { what: "Requests", included: 10e6, perMillion: 0.3, source: WORKERS },
  cpu: { what: "CPU, milliseconds", included: 30e6, perMillion: 0.02, source: WORKERS },
  logLines: {
    what: "Lines of log",
    included: 20e6,
    perMillion: 0.6,
    source: "https://developers.cloudflare.com/workers/observability/logs/workers-logs/#pricing",
  },
  rowsRead: { what: "Rows read", included: 25e9, perMillion: 0.001, source: D1 },
  rowsWritten: { what: "Rows written", included: 50e6, perMillion: 1, source: D1 },
} satisfies Record<string, Price>;

/** Dollars for a gigabyte of D1 in a month, after the first five. */
export const D1_STORAGE = { includedBytes: 5e9, perGigabyte: 0.75, source: D1 };

export const LIMITS = {
  /** One database: https://developers.cloudflare.com/d1/platform/limits/ */
  databaseBytes: 10e9,
  /**
   * A database does one thing at a time: about 1,000 statements a second if each takes a millisecond, and fewer if they
   * write: https://developers.cloudflare.com/d1/platform/limits/#how-much-work-can-a-d1-database-do
   */
  statementMilliseconds: 1,
  /** In live mode, of one account: https://docs.stripe.com/rate-limits */
  stripeCallsPerSecond: 100,
  /** And of one kind of object. */
  stripeCallsPerSecondOfOneKind: 25,
  /** https://developers.cloudflare.com/workers/observability/logs/workers-logs/#limits */
  logLinesPerDay: 5e9,
};
