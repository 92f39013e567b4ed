-- How Stripe answered the latest run of the cron handler, for /health.
ALTER TABLE cron_runs ADD COLUMN stripe TEXT;
DROP TABLE erasures;
