-- A row is a sign-up. "Subscription" is Stripe's word for what is charged each month.
ALTER TABLE subscriptions RENAME TO sign_ups;
ALTER TABLE outbox RENAME COLUMN subscription_id TO sign_up_id;

DROP INDEX subscriptions_live_email;
CREATE UNIQUE INDEX sign_ups_live_email ON sign_ups (lower(email))
  WHERE status IN ('active', 'trialing', 'past_due');
DROP INDEX subscriptions_email;
CREATE INDEX sign_ups_email ON sign_ups (email, created_at);
DROP INDEX subscriptions_status;
CREATE INDEX sign_ups_status ON sign_ups (status, created_at);
DROP INDEX subscriptions_check_at;
CREATE INDEX sign_ups_check_at ON sign_ups (check_at) WHERE check_at IS NOT NULL;
DROP INDEX outbox_subscription;
CREATE INDEX outbox_sign_up ON outbox (sign_up_id);
