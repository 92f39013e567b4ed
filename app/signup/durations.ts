/** How long a link to continue on another device works. */
export const LINK_MINUTES = 30;

/** The pause between two checks of a card that the bank is still processing. */
export const REFRESH_SECONDS = 10;
