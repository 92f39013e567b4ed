import { writeFileSync } from "node:fs";
import { generateStripeSchema } from "../stripe-schema/generate";

/* `npm run stripe-schema`, after an update of the package `stripe`. */

const FOLDER = new URL("../stripe-schema/generated/", import.meta.url);

for (const [name, text] of Object.entries(await generateStripeSchema())) writeFileSync(new URL(name, FOLDER), text);
