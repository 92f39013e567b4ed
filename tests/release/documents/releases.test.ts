import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKED, DEPLOYED, OPERATOR_TOKEN, startDeployment, uploaded } from "./typed-blocks";

/* Shell blocks of the documents: a release, a rollback, and a release that fails at Cloudflare. */

const { cloudflare, checkout, testBlocks } = await startDeployment();
let commit = "";

testBlocks("releases", {
  Updates: [
    {
      changes: [uploaded("citewell-subscription-api-staging"), uploaded("citewell-site-staging"), ...DEPLOYED],
      says: [/live for staging/, /live for production/, CHECKED],
    },
  ],
  "Rolling back": [
    {
      before: () => {
        commit = checkout.commit();
        const metadata = { created_on: "2026-01-01T00:00:00Z" };
        for (const name of ["citewell-site", "citewell-subscription-api"])
          cloudflare.versions.set(name, [{ id: `${name}-1`, metadata, annotations: { "workers/tag": commit } }]);
      },
      values: () => ({ commit }),
      changes: [/^citewell-site citewell-site-1$/, /^citewell-subscription-api citewell-subscription-api-1$/],
      says: [CHECKED],
    },
  ],
});

test("a deployment whose migration fails ends with what is live, what is not and how to continue", async () => {
  await writeFile(
    join(checkout.folder, "functions/subscription-api/migrations/0099_test.sql"),
    "SELECT nothing FROM it;",
  );
  const commit = checkout.commit();
  const { stdout, exitCode } = await checkout.run("deploy", ["production"], { ...cloudflare.env, OPERATOR_TOKEN });
  expect(stdout.slice(stdout.lastIndexOf("Live in production:"))).toBe(`Live in production:
  nothing of this release
Not live:
  migrations: 0099_test.sql
  subscription API: commit ${commit}
  site: commit ${commit}
To continue, correct the problem above, then: npm run deploy production
`);
  expect(exitCode).toBe(1);
});
