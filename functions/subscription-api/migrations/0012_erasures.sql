-- When operators erased people, without personal data.
CREATE TABLE erasures (
  erased_at TEXT NOT NULL,
  sign_ups INTEGER NOT NULL,
  customers INTEGER NOT NULL, -- at Stripe
  operator TEXT NOT NULL -- 'token', or a user's id at Cloudflare Access
) STRICT;
CREATE INDEX erasures_by_time ON erasures (erased_at);
