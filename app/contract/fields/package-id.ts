const MAX_LENGTH = 100;

/** The query's names for a package ID. The first one counts. */
const NAMES = ["id", "uuid", "package_id"];

/** From the path, else the query's first that is not empty. Not validated; cut to 100 characters, more than any ID has. */
export function packageIdOf(url: string, fromPath: string | undefined): string {
  const query = new URL(url).searchParams;
  const candidates = [fromPath, ...NAMES.flatMap((name) => query.getAll(name))];
  return (candidates.find(Boolean) ?? "").slice(0, MAX_LENGTH);
}
