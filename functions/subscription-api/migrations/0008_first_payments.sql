-- When the first invoice that was not empty was paid. Null: not yet, or before this migration.
ALTER TABLE sign_ups ADD COLUMN paid_at TEXT;
