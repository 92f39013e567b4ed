-- Stripe may deliver the event about a declined card more than once. The sign-up has the IDs of those that it counted, at most five,
-- with a space between them. Nothing else has to be remembered of an event.
ALTER TABLE sign_ups ADD COLUMN declined_events TEXT NOT NULL DEFAULT '';
DROP TABLE stripe_events;

-- `used_card` and its index stay until the next release's migrations: emails about a used card are now counted by their keys in
-- `outbox`, but the earlier release's Worker reads the column until it is replaced, and again after a rollback.
