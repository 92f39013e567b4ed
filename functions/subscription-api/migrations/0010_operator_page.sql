-- How many sign-ups began on each day, and how they stand: counted from the index alone.
CREATE INDEX sign_ups_by_day ON sign_ups (substr(created_at, 1, 10), status);
-- Messages that failed and are tried again.
CREATE INDEX outbox_retried ON outbox (created_at) WHERE state = 'due' AND attempts > 1;
