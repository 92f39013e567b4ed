import { watch } from "node:fs";
import { join, sep } from "node:path";
import { build, type WorkerName, workerNames } from "../build";
import { sentenceOf } from "../failures";
import { root } from "../wrangler/wrangler";

/** Several files change at once. */
const SETTLED_AFTER_MS = 200;

/** Which Workers contain a file, by its path from the root of the repository. */
function workersOf(path: string): readonly WorkerName[] {
  const [top, name] = path.split(sep);
  if (path.includes(".wrangler")) return [];
  if (top === "app") return name === "contract" || name === "shared" ? workerNames : ["site"];
  return [workerNames.find((one) => one === name) ?? "site"];
}

/** Builds Workers again when their sources change, then calls `reload`; tells of a build that failed. */
export function watchSources(reload: () => Promise<void>): void {
  const changed = new Set<WorkerName>();
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const rebuild = async () => {
    const names = [...changed];
    changed.clear();
    await build(names)
      .then(reload)
      .then(
        () => console.log(`Reloaded: ${names.join(", ")}`),
        (error: unknown) => console.log(sentenceOf(error)),
      );
  };
  for (const folder of ["app", "functions"]) {
    watch(join(root, folder), { recursive: true }, (_event, path) => {
      for (const name of workersOf(join(folder, path ?? ""))) changed.add(name);
      clearTimeout(timer);
      if (changed.size === 0) return;
      timer = setTimeout(() => {
        last = last.then(rebuild);
      }, SETTLED_AFTER_MS);
    });
  }
}
