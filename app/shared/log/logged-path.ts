const MAX_LOGGED_PATH = 200;
/** Long enough to find the `@` of an email address whose local part (64 escaped characters) begins in the logged part. */
const MAX_SEARCHED_PATH = MAX_LOGGED_PATH + 64 * 3 * 4;

/** An `@` or its full-width form, plain or escaped once or more. */
const AT_SIGN = /@|%(?:25)*40|%(?:25)*ef%(?:25)*bc%(?:25)*a0/i;

/** The path without the query. Redacts segments with an `@`, which may be email addresses. */
export function loggedPath({ pathname }: URL): string {
  const segments = pathname.slice(0, MAX_SEARCHED_PATH).split("/");
  const logged = segments.map((segment) => (AT_SIGN.test(segment) ? "[email]" : segment));
  return logged.join("/").slice(0, MAX_LOGGED_PATH);
}
