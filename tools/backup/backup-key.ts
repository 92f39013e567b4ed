import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { readOptions } from "../command-line";
import { runTool } from "../failures";

// npm run backup:key: prints a new pair of keys for npm run backup and npm run restore.

await runTool(async () => {
  readOptions("backup:key");
  const secret = await generateX25519Identity();
  console.log(`Public key, for npm run backup:
  ${await identityToRecipient(secret)}
Secret key, for npm run restore. Keep it in the password manager: without it no copy can be read.
  ${secret}`);
  return true;
});
