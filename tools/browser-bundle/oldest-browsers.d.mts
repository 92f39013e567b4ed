export const OLDEST_BROWSERS: Record<"chrome" | "safari" | "ios_saf" | "firefox", number>;
export const LIGHTNING_TARGETS: Record<string, number>;
