import { existsSync } from "node:fs";
import { join } from "node:path";
import { build, WORKERS } from "../tools/build";
import { root } from "../tools/wrangler/wrangler";

/** Global setup of the tests of built Workers: builds them in a fresh clone. Later, `npm run build` does after a change. */
export default async function setUp(): Promise<void> {
  const bundles = Object.entries(WORKERS).map(([name, { bundle }]) => join(root, "build", name, bundle));
  if (bundles.every((file) => existsSync(file))) return;
  console.log("Building the Workers for the first time …");
  await build();
}
