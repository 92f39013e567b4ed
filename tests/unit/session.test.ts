import { expect, test } from "vitest";
import { signupSessions } from "../../app/signup/session/session.server";

const secret = "a-secret-of-at-least-thirty-two-characters";

test("the largest session fits into a cookie and keeps its contents to itself [D5]", async () => {
  const sessions = signupSessions([secret], true);
  const wide = (length: number) => "\u6f22".repeat(length);
  const cookie = await sessions.write({
    step: "card",
    key: "k".repeat(43),
    clientSecret: `seti_${"1".repeat(24)}_secret_${"s".repeat(30)}`,
    account: {
      companyName: wide(100),
      fullName: wide(100),
      email: `${"e".repeat(242)}@example.com`,
      phone: "1".repeat(15),
      packageId: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10",
    },
    address: { line1: wide(150), city: wide(80), state: wide(80), postalCode: "12345-6789", country: wide(60) },
  });
  expect(cookie.length).toBeLessThan(4096);
  expect(cookie).toMatch(/^__Host-signup=/);
  for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) expect(cookie).toContain(attribute);
  expect(cookie).not.toContain("seti_");
});
