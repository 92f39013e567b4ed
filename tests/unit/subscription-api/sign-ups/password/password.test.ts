import { describe, expect, test } from "vitest";
import { scryptPasswords } from "../../../../../functions/subscription-api/sign-ups/password/password";

describe("password hashing", () => {
  // Made with Python's hashlib.scrypt: n=2**14, r=8, p=5, dklen=32, the salt being the bytes 0 to 15.
  const golden = "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$M/1p+B6du+oPtXKcYadGelZape4nIHDuDbbxfcH0PzY";

  test("verifies a hash of another implementation [G10]", async () => {
    expect(await scryptPasswords().verify("Corréct-h0rse", golden)).toBe(true);
    expect(await scryptPasswords().verify("Corréct-h0rsE", golden)).toBe(false);
  });

  test("uses scrypt with N=2^14, r=8, p=5 and a fresh salt each time [G10]", async () => {
    const [first, second] = await Promise.all([scryptPasswords().hash("Aa1!aaaa"), scryptPasswords().hash("Aa1!aaaa")]);

    expect(first).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(second).not.toBe(first);
    expect(await scryptPasswords().verify("Aa1!aaaa", first)).toBe(true);
  });

  test("uses the exact bytes of the password [B12]", async () => {
    const hash = await scryptPasswords().hash(" Aa1!aaaa ");
    expect(await scryptPasswords().verify("Aa1!aaaa", hash)).toBe(false);
  });

  test.each([
    "plain",
    golden.replace("ln=", "n="),
    `${golden}$`,
    `a ${golden}`,
    golden.split("$").slice(0, 4).join("$"),
  ])("throws for a stored string that is not a hash: %s", async (stored) => {
    await expect(scryptPasswords().verify("Aa1!aaaa", stored)).rejects.toThrow("not readable");
  });

  test("throws for a stored hash with invalid cost parameters", async () => {
    await expect(scryptPasswords().verify("Corréct-h0rse", golden.replace("ln=14", "ln=0"))).rejects.toThrow();
  });
});
