-- When the cron handler last read Stripe's list of undelivered events to its end (ran_at), and up to when its events are handled
-- (reached_at). Null: not yet.
ALTER TABLE cron_runs ADD COLUMN reached_at TEXT;
INSERT INTO cron_runs (name, created_at) VALUES ('undelivered-events', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

-- Paid subscriptions are read from Stripe once a day: the first time at a random moment of the next day, so that not all are due at
-- once. The earlier release's Worker checks them once and plans no further check.
UPDATE sign_ups SET check_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+' || (abs(random()) % 86400) || ' seconds')
  WHERE status IN ('active', 'past_due') AND check_at IS NULL;
