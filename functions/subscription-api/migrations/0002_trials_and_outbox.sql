-- Grows when Stripe has failed under the idempotency keys of the last attempt: Stripe replays a failure for 24 hours.
ALTER TABLE subscriptions ADD COLUMN stripe_attempt INTEGER NOT NULL DEFAULT 0;
-- Grows with every state taken over from Stripe, so that what was read earlier is not written later.
ALTER TABLE subscriptions ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
-- When the cron handler looks at the sign-up next; null: never, Stripe's webhooks tell what happens.
ALTER TABLE subscriptions ADD COLUMN check_at TEXT;

UPDATE subscriptions SET check_at = updated_at WHERE status IN ('pending', 'active', 'superseded');

CREATE INDEX subscriptions_check_at ON subscriptions (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX stripe_events_received_at ON stripe_events (received_at);

-- What has to be told about a sign-up, written with the change of state that it tells of. A message's text is made when
-- it is sent, so that no personal data is kept here.
CREATE TABLE outbox (
  key TEXT PRIMARY KEY, -- names the message to its receiver too: sent twice, it counts once
  subscription_id TEXT NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('trial-started', 'trial-ending', 'account-created')),
  -- dropped: no longer true when its turn came. dead: given up after too many attempts.
  state TEXT NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'dropped', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TEXT NOT NULL, -- while it is being sent: the end of the sender's lease
  created_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;

CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE state = 'due';
CREATE INDEX outbox_subscription ON outbox (subscription_id);
