-- Stripe may deliver the event about a declined card more than once. The sign-up has the IDs of those that it counted, at most five,
-- with a space between them. Nothing else has to be remembered of an event.
ALTER TABLE sign_ups ADD COLUMN declined_events TEXT NOT NULL DEFAULT '';
DROP TABLE stripe_events;

-- Emails about a used card are counted by their keys in `outbox`.
DROP INDEX sign_ups_used_card;
ALTER TABLE sign_ups DROP COLUMN used_card;
