const MAX_LENGTH = 100;

/**
 * The package ID from the path, or else from the query. Not validated. Cut to 100 characters, more than any
 * package ID has.
 */
export function packageIdOf(url: string, fromPath: string | undefined): string {
  if (fromPath) return fromPath.slice(0, MAX_LENGTH);
  const query = new URL(url).searchParams;
  return (query.get("id") || query.get("uuid") || query.get("package_id") || "").slice(0, MAX_LENGTH);
}
