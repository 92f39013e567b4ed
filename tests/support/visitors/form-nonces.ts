import { formNonces } from "../../../app/signup/form/form-nonce.server";

/** As in wrangler.toml. */
export const LOCAL_SESSION_SECRET = "only-for-local-development-never-for-a-deployment";

/** The nonce of a form that was opened so many milliseconds ago. */
export function nonceOpened(millisecondsAgo: number): Promise<string> {
  return formNonces([LOCAL_SESSION_SECRET], () => Date.now() - millisecondsAgo).issue();
}

/** Older than the two seconds in which no person fills in the form. */
export const UNHURRIED = 5_000;
