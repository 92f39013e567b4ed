import { createHash } from "node:crypto";
import { createApi } from "../../../functions/subscription-api/app";

/** The subscription API with a hash that costs nothing, for tests that are not about passwords. */
const digest = (password: string) => createHash("sha256").update(password).digest("base64");

export default createApi({
  hash: async (password) => digest(password),
  verify: async (password, stored) => digest(password) === stored,
});
