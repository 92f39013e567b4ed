import { CHECKED, DEPLOYED, startDeployment, uploaded } from "./typed-blocks";

/* Shell blocks of the documents: a release and a rollback. */

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
