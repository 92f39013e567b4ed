import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { legacyScrollState } from "../../app/ui/scroll-state";

it("is loaded under the hash of its file", async () => {
  const file = await readFile(new URL(`../../public${legacyScrollState.src}`, import.meta.url));
  expect(legacyScrollState.integrity).toBe(`sha384-${createHash("sha384").update(file).digest("base64")}`);
});
