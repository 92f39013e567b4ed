export const OLDEST_BROWSERS = { chrome: 80, safari: 14, ios_saf: 14, firefox: 78 };

export const LIGHTNING_TARGETS = Object.fromEntries(
  Object.entries(OLDEST_BROWSERS).map(([browser, version]) => [browser, version << 16]),
);
