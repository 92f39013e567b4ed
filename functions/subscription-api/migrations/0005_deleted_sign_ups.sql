-- Sign-ups that were deleted while Stripe may still have been creating their customer, as keyed hashes of their IDs. For an hour the
-- cron handler looks for such a customer and deletes it; then it deletes the hash.
CREATE TABLE deleted_sign_ups (
  hash TEXT PRIMARY KEY,
  deleted_at TEXT NOT NULL
) STRICT;
CREATE INDEX deleted_sign_ups_deleted_at ON deleted_sign_ups (deleted_at);
