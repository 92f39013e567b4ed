import { writeFileSync } from "node:fs";
import { generateStripeSchema } from "./stripe-schema/generate";

/* `npm run stripe-schema`, after an update of the package `stripe`. */

export const SCHEMA_FILE = new URL("../stripe-simulator/schema/stripe-schema.json", import.meta.url);

writeFileSync(SCHEMA_FILE, await generateStripeSchema());
