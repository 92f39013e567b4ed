/**
 * The package that an address asks for: from the path, else from the query parameters id, uuid, package_id, in that
 * order (specification, section 2). As given: whether it is a uuid is for the form's rules to say.
 */
export function packageIdOf(address: string, fromPath: string | undefined): string {
  const query = new URL(address).searchParams;
  return fromPath || query.get("id") || query.get("uuid") || query.get("package_id") || "";
}
