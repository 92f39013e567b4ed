-- What can be subscribed to. The IDs are in the site's plan links.
CREATE TABLE packages (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents > 0), -- US cents, each month
  stripe_price_id TEXT NOT NULL UNIQUE,
  -- listed: on the site's price list. custom: sold by its link alone. retired: no longer sold; its sign-ups and trials stay.
  status TEXT NOT NULL DEFAULT 'listed' CHECK (status IN ('listed', 'custom', 'retired'))
) STRICT;

INSERT INTO packages (id, name, price_cents, stripe_price_id) VALUES
  ('5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10', 'MINI', 10000, 'price_mini'),
  ('0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220', 'LITE', 20000, 'price_lite'),
  ('c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430', 'STANDARD', 50000, 'price_standard');

-- One row for each sign-up, written before Stripe is called: Stripe's idempotency keys are made of its id. Times are ISO 8601, UTC.
CREATE TABLE sign_ups (
  id TEXT PRIMARY KEY,
  idempotency_key TEXT NOT NULL UNIQUE,
  -- The diagram is in sign-ups/transitions/advance.ts. trialing, active, past_due and canceled follow the Stripe subscription.
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'card_set_up', 'ended', 'trialing', 'active', 'past_due', 'canceled')),
  -- 'replaced', 'cards-failed', 'card-removed' or 'not-me'
  end_reason TEXT CHECK (status <> 'ended' OR end_reason IS NOT NULL),
  package_id TEXT REFERENCES packages (id),
  email TEXT NOT NULL, -- in lower case, without whitespace
  password_hash TEXT NOT NULL,
  phone TEXT NOT NULL, -- digits only
  company_name TEXT NOT NULL,
  full_name TEXT NOT NULL,
  address TEXT NOT NULL,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  zip_code TEXT NOT NULL,
  country TEXT NOT NULL,
  stripe_customer_id TEXT UNIQUE,
  stripe_setup_intent_id TEXT UNIQUE,
  stripe_subscription_id TEXT UNIQUE,
  -- The terms that the visitor agreed to with the form. No price without a plan.
  price_cents INTEGER, -- US cents, each month
  stripe_price_id TEXT,
  tax_added INTEGER NOT NULL, -- 1 if Stripe Tax adds tax to the price
  trial_days INTEGER NOT NULL,
  sign_up_hours INTEGER NOT NULL, -- without a card it ends after so many
  stripe_attempt INTEGER NOT NULL DEFAULT 0, -- grows when Stripe would repeat a failure for the attempt's idempotency keys
  trial_end TEXT,
  email_verified_at TEXT,
  declined_cards INTEGER NOT NULL DEFAULT 0,
  -- IDs of the events that were counted, at most five, with a space between them: Stripe may deliver an event more than once.
  declined_events TEXT NOT NULL DEFAULT '',
  used_cards INTEGER NOT NULL DEFAULT 0, -- cards that had had a trial
  request_id TEXT, -- of the request that made the sign-up, as in Stripe's metadata
  version INTEGER NOT NULL DEFAULT 0, -- grows with each transition, which is written over the version that was read
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  check_at TEXT, -- when the cron handler looks at it next; null: only Stripe's webhooks change it
  -- Order of the cron handler: trials that have to start, what may be or become a trial, what is left to be deleted.
  check_rank INTEGER GENERATED ALWAYS AS (
    CASE
      WHEN status = 'card_set_up' THEN 0
      WHEN status = 'ended' THEN 2
      WHEN status = 'pending' AND unixepoch(check_at) - unixepoch(created_at) >= 3600 * sign_up_hours THEN 2
      ELSE 1
    END
  ) VIRTUAL
) STRICT;
CREATE INDEX sign_ups_email ON sign_ups (email, created_at);
CREATE INDEX sign_ups_due ON sign_ups (check_rank, check_at) WHERE check_at IS NOT NULL;
-- How many sign-ups began on each day, and how they stand: counted from the index alone.
CREATE INDEX sign_ups_by_day ON sign_ups (substr(created_at, 1, 10), status);

-- Who has had a trial, as keyed hashes of the email address and, with ONE_TRIAL_PER_PERSON, of the mailbox and the card. The primary
-- key decides which of two sign-ups at the same time gets the trial. Erasing a person keeps only the hash.
CREATE TABLE trial_claims (
  hash TEXT PRIMARY KEY,
  sign_up_id TEXT REFERENCES sign_ups (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX trial_claims_sign_up ON trial_claims (sign_up_id);

-- What has to be told about a sign-up, written with the transition that it tells of. A message's text is made when it is sent, so
-- that no personal data is kept here.
CREATE TABLE outbox (
  key TEXT PRIMARY KEY, -- also sent to the receiver, which ignores a repeated key
  sign_up_id TEXT NOT NULL REFERENCES sign_ups (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- dropped: no longer true when its turn came. dead: given up after too many attempts.
  state TEXT NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'dropped', 'dead')),
  drop_reason TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TEXT NOT NULL, -- while it is being sent: the end of the sender's lease
  created_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;
-- By kind, since account webhooks may wait for a console as long as there is none.
CREATE INDEX outbox_due ON outbox (kind, next_attempt_at) WHERE state = 'due';
CREATE INDEX outbox_dead ON outbox (state) WHERE state = 'dead';
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX outbox_retried ON outbox (created_at) WHERE state = 'due' AND attempts > 1;
CREATE INDEX outbox_sign_up ON outbox (sign_up_id, created_at);

-- When the cron handler last came to its end without a failure, for /health. Null: not yet.
CREATE TABLE cron_runs (
  name TEXT PRIMARY KEY,
  ran_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
INSERT INTO cron_runs (name, created_at) VALUES ('scheduled', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
