-- The price that the visitor agreed to with the form. Null without a plan.
ALTER TABLE sign_ups ADD COLUMN price_cents INTEGER; -- US cents, each month
ALTER TABLE sign_ups ADD COLUMN stripe_price_id TEXT;

UPDATE sign_ups SET price_cents = packages.price_cents, stripe_price_id = packages.stripe_price_id
  FROM packages WHERE packages.id = sign_ups.package_id;
