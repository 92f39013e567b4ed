-- When the cron handler last came to its end without a failure, for /health; null: never, since the table is there.
CREATE TABLE cron_runs (
  name TEXT PRIMARY KEY,
  ran_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
INSERT INTO cron_runs (name, created_at) VALUES ('scheduled', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
