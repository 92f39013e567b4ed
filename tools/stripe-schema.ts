import { writeFileSync } from "node:fs";
import { generateStripeSchema } from "../functions/stripe-simulator/schema/generate";

/* `npm run stripe-schema`, after an update of the package `stripe`. */

const FOLDER = new URL("../functions/stripe-simulator/schema/generated/", import.meta.url);

for (const [name, text] of Object.entries(await generateStripeSchema())) writeFileSync(new URL(name, FOLDER), text);
