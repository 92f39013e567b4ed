import { expect, test } from "vitest";
import { scryptPasswords } from "../../../../functions/subscription-api/passwords/scrypt";

// Made with Python's hashlib.scrypt: n=2**14, r=8, p=5, dklen=32; the salt is the bytes 0 to 15.
const GOLDEN = "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$M/1p+B6du+oPtXKcYadGelZape4nIHDuDbbxfcH0PzY";

test("a hash is a PHC string of scrypt with N=2^14, r=8, p=5, a salt of 16 bytes and a key of 32", async () => {
  const hash = await scryptPasswords.hash("Corréct-h0rse");
  expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
});

test("two hashes of one password differ in their salts", async () => {
  const [first, second] = await Promise.all([
    scryptPasswords.hash("Corréct-h0rse"),
    scryptPasswords.hash("Corréct-h0rse"),
  ]);
  expect(first).not.toBe(second);
});

test.each([
  { what: "its password", password: "Corréct-h0rse", stored: GOLDEN, verified: true },
  {
    what: "its password from a keyboard that decomposes é",
    password: "Corre\u0301ct-h0rse",
    stored: GOLDEN,
    verified: true,
  },
  { what: "another password", password: "Corréct-h0rsE", stored: GOLDEN, verified: false },
  { what: "the password with a space", password: "Corréct-h0rse ", stored: GOLDEN, verified: false },
  {
    what: "its password, at the lower cost that it names",
    password: "Corréct-h0rse",
    stored: "$scrypt$ln=1,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$QUSwiU4X+MHZzAM/16T8Vt1+uvN8Qbk6N3CiJ3kTcKs",
    verified: true,
  },
])("a stored hash and $what are verified: $verified", async ({ password, stored, verified }) => {
  expect(await scryptPasswords.verify(password, stored)).toBe(verified);
});

test("a password that was typed decomposed is hashed composed", async () => {
  const stored = await scryptPasswords.hash("Corre\u0301ct-h0rse");
  expect(await scryptPasswords.verify("Corr\u00e9ct-h0rse", stored)).toBe(true);
});

test("a hash that was made here is verified with every space", async () => {
  const stored = await scryptPasswords.hash(" Aa1!aaaa ");
  expect(await scryptPasswords.verify(" Aa1!aaaa ", stored)).toBe(true);
  expect(await scryptPasswords.verify("Aa1!aaaa", stored)).toBe(false);
});

test.each([{ stored: "plain" }, { stored: `${GOLDEN}$` }, { stored: "" }])(
  "the stored text $stored, which is no hash, is an error",
  async ({ stored }) => {
    await expect(scryptPasswords.verify("a password", stored)).rejects.toThrow("not readable");
  },
);
