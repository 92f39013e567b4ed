const MAX_LOGGED_PATH = 200;
/** So that the `@` of an email address that begins in the logged part is seen: 64 characters before it, each escaped. */
const MAX_SEARCHED_PATH = MAX_LOGGED_PATH + 64 * 3 * 4;

/** The path of a failed request, without the query. A URL has its control characters escaped; a segment with an `@` may be an email address. */
export function loggedPath({ pathname }: URL): string {
  const segments = pathname.slice(0, MAX_SEARCHED_PATH).split("/");
  const logged = segments.map((segment) => (/@|%40/.test(segment) ? "[email]" : segment));
  return logged.join("/").slice(0, MAX_LOGGED_PATH);
}
