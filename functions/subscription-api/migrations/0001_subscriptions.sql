-- What can be subscribed to. The ids are those that the site's plan links carry.
CREATE TABLE packages (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents > 0), -- US dollars, each month
  stripe_price_id TEXT NOT NULL UNIQUE
) STRICT;

INSERT INTO packages (id, name, price_cents, stripe_price_id) VALUES
  ('5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10', 'MINI', 10000, 'price_mini'),
  ('0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220', 'LITE', 20000, 'price_lite'),
  ('c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430', 'STANDARD', 50000, 'price_standard');

-- One row for each sign-up, written before Stripe is called: its id is what Stripe's idempotency keys are made of.
CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY,
  idempotency_key TEXT NOT NULL UNIQUE,
  -- pending: no card yet. active: card set up. superseded: another sign-up with this e-mail got its card first.
  -- trialing, past_due and canceled follow the Stripe subscription.
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'active', 'trialing', 'past_due', 'canceled', 'superseded')),
  package_id TEXT REFERENCES packages (id),
  email TEXT NOT NULL, -- in lower case, without whitespace
  password_hash TEXT NOT NULL,
  phone TEXT NOT NULL, -- digits only
  company_name TEXT NOT NULL,
  full_name TEXT NOT NULL,
  address TEXT NOT NULL,
  city TEXT NOT NULL,
  state TEXT NOT NULL,
  zip_code TEXT NOT NULL,
  country TEXT NOT NULL,
  stripe_customer_id TEXT UNIQUE,
  stripe_setup_intent_id TEXT UNIQUE,
  stripe_subscription_id TEXT UNIQUE,
  trial_end TEXT,
  created_at TEXT NOT NULL, -- ISO 8601, UTC, as all times here
  updated_at TEXT NOT NULL
) STRICT;

-- At most one living subscription for an e-mail, whatever happens at the same time.
CREATE UNIQUE INDEX subscriptions_live_email ON subscriptions (lower(email))
  WHERE status IN ('active', 'trialing', 'past_due');
CREATE INDEX subscriptions_email ON subscriptions (email, created_at);
CREATE INDEX subscriptions_status ON subscriptions (status, created_at);

-- Webhook events that have been processed: Stripe delivers at least once.
CREATE TABLE stripe_events (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  received_at TEXT NOT NULL
) STRICT;
