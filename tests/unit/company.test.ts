import { expect, test } from "vitest";
import * as z from "zod";
import { company } from "../../app/company";

test.each(["salesEmail", "supportEmail", "legalEmail", "senderEmail"] as const)(
  "the company's %s is an email address",
  (name) => {
    expect(z.email().safeParse(company[name]).success, `app/company.ts: ${name} is ${company[name]}`).toBe(true);
  },
);

test("the company's console and profiles are https URLs", () => {
  const https = z.url({ protocol: /^https$/ });
  expect([company.consoleUrl, ...company.profiles].filter((url) => !https.safeParse(url).success)).toEqual([]);
});
