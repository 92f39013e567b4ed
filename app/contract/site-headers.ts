/** Proves to the API, where it is reached over the network, that a request comes from the site. */
export const API_SECRET_HEADER = "Subscription-Api-Secret";

/** Whose form the site sends on: the key of `senderOf`. The API believes it from the site alone. */
export const SENDER_HEADER = "Subscription-Sender";

/** Values of `SUBSCRIPTION_API_SECRET`: 32 to 256 printable ASCII characters without spaces and commas. */
export const API_SECRET = /^[\x21-\x2b\x2d-\x7e]{32,256}$/;
