-- 'card_set_up' (card set up, no trial yet) was 'active', which is Stripe's word for a paid subscription. 'ended' was
-- 'superseded'; its end_reason is 'replaced', 'cards-failed' or 'not-me'. SQLite cannot change a CHECK, so the table and
-- those that refer to it are built again; dropped first are the ones that refer, since dropping a table deletes its rows.
CREATE TABLE new_sign_ups (
  id TEXT PRIMARY KEY,
  idempotency_key TEXT NOT NULL UNIQUE,
  -- trialing, active, past_due and canceled follow the Stripe subscription.
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'card_set_up', 'ended', 'trialing', 'active', 'past_due', 'canceled')),
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
  stripe_attempt INTEGER NOT NULL DEFAULT 0,
  trial_end TEXT,
  email_verified_at TEXT,
  paid_at TEXT,
  declined_cards INTEGER NOT NULL DEFAULT 0,
  used_cards INTEGER NOT NULL DEFAULT 0,
  request_id TEXT,
  version INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL, -- ISO 8601, UTC, as all times here
  updated_at TEXT NOT NULL,
  check_at TEXT,
  -- 86400: ABANDONED_AFTER_MS (sign-ups/sign-up.ts)
  check_rank INTEGER GENERATED ALWAYS AS (
    CASE
      WHEN status = 'card_set_up' THEN 0
      WHEN status = 'ended' THEN 2
      WHEN status = 'pending' AND unixepoch(check_at) - unixepoch(created_at) >= 86400 THEN 2
      ELSE 1
    END
  ) VIRTUAL,
  -- An earlier release that still runs cannot write its 'active': Stripe repeats the event until this one takes it.
  CHECK (status <> 'active' OR stripe_subscription_id IS NOT NULL)
) STRICT;
INSERT INTO new_sign_ups (
  id, idempotency_key, status, end_reason, package_id, email, password_hash, phone, company_name, full_name, address, city,
  state, zip_code, country, stripe_customer_id, stripe_setup_intent_id, stripe_subscription_id, stripe_attempt, trial_end,
  email_verified_at, paid_at, declined_cards, used_cards, request_id, version, created_at, updated_at, check_at
) SELECT
  id, idempotency_key,
  CASE
    WHEN status = 'active' AND stripe_subscription_id IS NULL THEN 'card_set_up'
    WHEN status = 'superseded' THEN 'ended'
    ELSE status
  END,
  CASE WHEN status = 'superseded' THEN coalesce(end_reason, 'replaced') ELSE end_reason END,
  package_id, email, password_hash, phone, company_name, full_name, address, city,
  state, zip_code, country, stripe_customer_id, stripe_setup_intent_id, stripe_subscription_id, stripe_attempt, trial_end,
  email_verified_at, paid_at, declined_cards, used_cards, request_id, version, created_at, updated_at, check_at
FROM sign_ups;

CREATE TABLE new_outbox (
  key TEXT PRIMARY KEY,
  sign_up_id TEXT NOT NULL REFERENCES new_sign_ups (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'dropped', 'dead')),
  drop_reason TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;
INSERT INTO new_outbox (key, sign_up_id, kind, state, drop_reason, attempts, next_attempt_at, created_at, settled_at)
  SELECT key, sign_up_id, kind, state, drop_reason, attempts, next_attempt_at, created_at, settled_at FROM outbox;

CREATE TABLE new_trial_claims (
  hash TEXT PRIMARY KEY,
  sign_up_id TEXT REFERENCES new_sign_ups (id) ON DELETE SET NULL
) STRICT;
INSERT INTO new_trial_claims (hash, sign_up_id) SELECT hash, sign_up_id FROM trial_claims;

DROP TABLE outbox;
DROP TABLE trial_claims;
DROP TABLE sign_ups;
ALTER TABLE new_sign_ups RENAME TO sign_ups;
ALTER TABLE new_outbox RENAME TO outbox;
ALTER TABLE new_trial_claims RENAME TO trial_claims;

CREATE UNIQUE INDEX sign_ups_live_email ON sign_ups (lower(email))
  WHERE status IN ('card_set_up', 'trialing', 'active', 'past_due');
CREATE INDEX sign_ups_email ON sign_ups (email, created_at);
CREATE INDEX sign_ups_pending ON sign_ups (email, created_at) WHERE status = 'pending';
-- HAD_TRIAL (sign-ups/sign-up.ts), word for word: SQLite uses the index for that alone.
CREATE INDEX sign_ups_had_trial ON sign_ups (email)
  WHERE (status IN ('card_set_up', 'trialing', 'active', 'past_due') OR (trial_end IS NOT NULL AND end_reason IS NULL));
CREATE INDEX sign_ups_due ON sign_ups (check_rank, check_at) WHERE check_at IS NOT NULL;
CREATE INDEX sign_ups_by_day ON sign_ups (substr(created_at, 1, 10), status);
CREATE INDEX outbox_due ON outbox (kind, next_attempt_at) WHERE state = 'due';
CREATE INDEX outbox_dead ON outbox (state) WHERE state = 'dead';
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX outbox_retried ON outbox (created_at) WHERE state = 'due' AND attempts > 1;
CREATE INDEX outbox_sign_up ON outbox (sign_up_id, created_at);
CREATE INDEX trial_claims_sign_up ON trial_claims (sign_up_id);
