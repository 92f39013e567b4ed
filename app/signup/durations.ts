/** How long a link to continue on another device works. */
export const LINK_MINUTES = 30;

export const REFRESH_SECONDS = 10;

/** How long each script, Stripe's client and its fields may take to load. */
export const LOADING_LIMIT_MS = 15_000;
