-- The id of the request that made the sign-up, which Stripe's objects have in their metadata. Null: an earlier release's.
ALTER TABLE sign_ups ADD COLUMN request_id TEXT;
