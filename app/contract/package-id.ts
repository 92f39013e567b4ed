const MAX_LENGTH = 100;

/**
 * From the path, else from the query (docs/requirements.md, S3); not validated. Cut to 100 characters: what is longer is no
 * package id, and neither is its beginning.
 */
export function packageIdOf(url: string, fromPath: string | undefined): string {
  if (fromPath) return fromPath.slice(0, MAX_LENGTH);
  const query = new URL(url).searchParams;
  return (query.get("id") || query.get("uuid") || query.get("package_id") || "").slice(0, MAX_LENGTH);
}
