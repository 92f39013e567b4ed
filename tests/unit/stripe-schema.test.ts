import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { generateStripeSchema } from "../../functions/tools/stripe-schema/generate";

const kept = new URL("../../functions/stripe-simulator/schema/stripe-schema.json", import.meta.url);

it("the simulator's schema is what the installed packages say: npm run stripe-schema", async () => {
  expect(await generateStripeSchema()).toBe(await readFile(kept, "utf8"));
}, 60_000);
