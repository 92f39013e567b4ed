/** From the path, else from the query (docs/requirements.md, S3); not validated. */
export function packageIdOf(url: string, fromPath: string | undefined): string {
  const query = new URL(url).searchParams;
  return fromPath || query.get("id") || query.get("uuid") || query.get("package_id") || "";
}
