-- Why a message was dropped; null: it was not, or by an earlier release.
ALTER TABLE outbox ADD COLUMN drop_reason TEXT;
