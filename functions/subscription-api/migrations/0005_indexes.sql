-- The order in which the cron handler takes what is due: first trials that have to start, then everything that may still
-- become or be a trial, last what is only left to be deleted. 86400: ABANDONED_AFTER_MS (sign-ups/sign-up.ts).
ALTER TABLE sign_ups ADD COLUMN check_rank INTEGER GENERATED ALWAYS AS (
  CASE
    WHEN status = 'active' THEN 0
    WHEN status = 'superseded' THEN 2
    WHEN status = 'pending' AND unixepoch(check_at) - unixepoch(created_at) >= 86400 THEN 2
    ELSE 1
  END
) VIRTUAL;
DROP INDEX sign_ups_check_at;
CREATE INDEX sign_ups_due ON sign_ups (check_rank, check_at) WHERE check_at IS NOT NULL;

-- An e-mail address may have any number of pending sign-ups. The second condition is HAD_TRIAL (sign-ups/sign-up.ts),
-- word for word: SQLite uses the index for that alone.
CREATE INDEX sign_ups_pending ON sign_ups (email, created_at) WHERE status = 'pending';
CREATE INDEX sign_ups_had_trial ON sign_ups (email)
  WHERE (status IN ('active', 'trialing', 'past_due') OR (trial_end IS NOT NULL AND end_reason IS NULL));
-- No statement needs it, and the planner preferred it to better ones.
DROP INDEX sign_ups_status;

-- By kind, since account webhooks may wait for a console as long as there is none.
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (kind, next_attempt_at) WHERE state = 'due';
CREATE INDEX outbox_dead ON outbox (state) WHERE state = 'dead';
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE settled_at IS NOT NULL;
DROP INDEX outbox_sign_up;
CREATE INDEX outbox_sign_up ON outbox (sign_up_id, created_at);
