import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "../../../tools/wrangler";

test("npm run preflight names every placeholder of a fresh checkout, and ends with exit code 1", () => {
  const { stdout, status } = spawnSync("npm", ["run", "--silent", "preflight", "--", "--offline"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  for (const name of ["SITE_URL", "CONSOLE_URL", "CUSTOMER_PORTAL_URL", "MAIL_FROM", "STRIPE_PUBLISHABLE_KEY"]) {
    expect(stdout).toContain(name);
  }
  expect(stdout).toContain("database_id is not set");
  expect(stdout).toContain("Not checked: Stripe (--offline).");
  expect(stdout).toMatch(/\d+ to fix before a deployment to production\./);
});
