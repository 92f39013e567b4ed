import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import * as z from "zod";
import { root } from "../../../tools/wrangler/wrangler";

/* Which packages npm takes, by .npmrc. */

const sbom = z.object({ components: z.array(z.object({ name: z.string() })) });

/** The packages that npm lists with these options, as it would install them. */
function packagesWith(options: string[], env: NodeJS.ProcessEnv = {}): string[] {
  const output = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", ...options], {
    ...{ cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "ignore"] },
    env: { ...process.env, ...env },
  });
  return sbom.parse(JSON.parse(output)).components.map(({ name }) => name);
}

test("the build tools come along where NODE_ENV is production, because npm start builds", () => {
  expect(packagesWith([], { NODE_ENV: "production" })).toContain("wrangler");
});

test("the build tools are left out when they are omitted, so that an audit lists what is deployed", () => {
  const packages = packagesWith(["--omit", "dev"]);
  expect(packages).toContain("hono");
  expect(packages).not.toContain("wrangler");
});
