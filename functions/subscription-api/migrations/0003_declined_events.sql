-- Stripe may deliver the event about a declined card more than once. The sign-up has the IDs of the events that it counted, at most
-- five, with a space between them. Nothing else has to be remembered about an event.
ALTER TABLE sign_ups ADD COLUMN declined_events TEXT NOT NULL DEFAULT '';

-- This release no longer uses the table `stripe_events` and the column `used_card`. They stay until the next release's migrations,
-- because the earlier release's Worker needs both until it is replaced, and again after a rollback.
