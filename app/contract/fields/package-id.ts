const MAX_LENGTH = 100;

/** The query's names for a package ID. The first one counts. */
const NAMES = ["id", "uuid", "package_id"];

/**
 * The package ID from the path, or else the first in the query that is not empty. Not validated. Cut to 100 characters, more than any
 * package ID has.
 */
export function packageIdOf(url: string, fromPath: string | undefined): string {
  const query = new URL(url).searchParams;
  const candidates = [fromPath, ...NAMES.flatMap((name) => query.getAll(name))];
  return (candidates.find(Boolean) ?? "").slice(0, MAX_LENGTH);
}
