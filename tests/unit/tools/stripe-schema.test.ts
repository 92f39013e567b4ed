import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { generateStripeSchema } from "../../../functions/stripe-simulator/schema/generate";

const FOLDER = new URL("../../../functions/stripe-simulator/schema/generated/", import.meta.url);

test("the simulator's schema is up to date with the installed packages: npm run stripe-schema [N8]", async () => {
  for (const [name, text] of Object.entries(await generateStripeSchema())) {
    expect(await readFile(new URL(name, FOLDER), "utf8"), name).toBe(text);
  }
}, 60_000);
