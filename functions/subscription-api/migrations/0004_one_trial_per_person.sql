-- When the link in the start mail was opened; null: the e-mail address is not proved yet.
ALTER TABLE sign_ups ADD COLUMN email_verified_at TEXT;
-- Cards that Stripe declined, and cards that were set up but had already been used for a trial.
ALTER TABLE sign_ups ADD COLUMN declined_cards INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sign_ups ADD COLUMN used_cards INTEGER NOT NULL DEFAULT 0;
-- Why a sign-up was ended without its customer's wish: 'cards-failed', 'not-me'. Its e-mail address is free again.
ALTER TABLE sign_ups ADD COLUMN end_reason TEXT;

-- Who has had a trial, as keyed hashes: of the e-mail address and, with ONE_TRIAL_PER_PERSON, of the card. The primary
-- key decides which of two sign-ups at the same time gets the trial. Erasing a person leaves the hash alone.
CREATE TABLE trial_claims (
  hash TEXT PRIMARY KEY,
  sign_up_id TEXT REFERENCES sign_ups (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX trial_claims_sign_up ON trial_claims (sign_up_id);

-- How many sign-ups an e-mail address or a sender has made on a day. The hash is keyed with the day, after which the row
-- is deleted.
CREATE TABLE sign_up_counts (
  day TEXT NOT NULL, -- YYYY-MM-DD, UTC
  hash TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (day, hash)
) STRICT;

-- The list of kinds is the code's from now on: SQLite cannot change a CHECK, only build the table again.
CREATE TABLE new_outbox (
  key TEXT PRIMARY KEY,
  sign_up_id TEXT NOT NULL REFERENCES sign_ups (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'dropped', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;
INSERT INTO new_outbox (key, sign_up_id, kind, state, attempts, next_attempt_at, created_at, settled_at)
  SELECT key, sign_up_id, kind, state, attempts, next_attempt_at, created_at, settled_at FROM outbox;
DROP TABLE outbox;
ALTER TABLE new_outbox RENAME TO outbox;
CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE state = 'due';
CREATE INDEX outbox_sign_up ON outbox (sign_up_id);
