import { expect, test } from "vitest";
import * as z from "zod";
import { company } from "../../app/company";

test("the company has email addresses, and https URLs of its console and profiles", () => {
  const { salesEmail, supportEmail, legalEmail, senderEmail, consoleUrl, profiles } = company;
  const wrong = (rule: z.ZodType, texts: string[]) => texts.filter((text) => !rule.safeParse(text).success);
  expect(wrong(z.email(), [salesEmail, supportEmail, legalEmail, senderEmail])).toEqual([]);
  expect(wrong(z.url({ protocol: /^https$/ }), [consoleUrl, ...profiles])).toEqual([]);
});
