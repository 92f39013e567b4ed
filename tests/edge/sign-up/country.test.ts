import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openPage } from "../../support/visitors/page";
import type { SiteVisitor } from "../../support/visitors/site-visitor";
import { type Stack, startStack } from "../../support/visitors/visited-site";
import { rows, signUp, stripeAt, stripeStateOf } from "../../support/visitors/visitor";

let stack: Stack;
let visitor: SiteVisitor;

beforeAll(async () => {
  stack = await startStack();
  ({ visitor } = stack);
  return stack.dispose;
});

test("the form lists the world's countries, none of which the page has twice or in a script [V12]", async () => {
  const { document, body } = await openPage(visitor, "/subscription");
  const field = document.querySelector("input[name=country]");
  const list = document.getElementById(field?.getAttribute("list") ?? "");
  const names = [...(list?.querySelectorAll("option") ?? [])].map((option) => option.value);

  expect(names).toHaveLength(250);
  expect(names).toEqual(expect.arrayContaining(["Germany", "Trinidad & Tobago", "United States", "Côte d’Ivoire"]));
  expect(list?.textContent).toBe("");
  expect(body.split("Liechtenstein")).toHaveLength(2);
  expect(Buffer.byteLength(list?.outerHTML ?? "")).toBeLessThan(10_000);
  const built = await readdir(join(import.meta.dirname, "../../../public/build"), { recursive: true });
  for (const name of built.filter((name) => name.endsWith(".js"))) {
    const code = await readFile(join(import.meta.dirname, "../../../public/build", name), "utf8");
    expect(code, name).not.toContain("Liechtenstein");
  }
});

test.each([
  ["Germany", "DE"],
  ["deutschland", "DE"],
  ["日本", "JP"],
  ["U.S.A.", "US"],
  ["Holland", "NL"],
])("the card step and the customer at Stripe have %s as %s [N7]", async (country, code) => {
  const email = `${crypto.randomUUID()}@example.com`;
  const { cookie: Cookie } = await visitor.submit({ email, country });
  expect((await visitor.get("/subscription", { Cookie })).body).toMatch(new RegExp(`countryCode\\W+${code}\\b`));

  const { customers } = await stripeStateOf(stack.stripe, email);
  expect(customers).toMatchObject([
    { address: { line1: "1 Example Street", city: "Springfield", state: "IL", postal_code: "62701", country: code } },
  ]);
  expect(await rows(stack.api, "SELECT country FROM sign_ups WHERE email = ?", email)).toEqual([{ country }]);
});

test("a country that is not recognized is taken as typed and kept from Stripe [N7, V13]", async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const { status } = await signUp(stack.api, { email, country: "Atlantis" });
  expect(status).toBe(200);

  const [customer] = (await stripeStateOf(stack.stripe, email)).customers;
  expect(customer?.address).toMatchObject({ city: "New York", postal_code: "10001", country: null });
  expect(await rows(stack.api, "SELECT country FROM sign_ups WHERE email = ?", email)).toEqual([
    { country: "Atlantis" },
  ]);
});

test("the simulator refuses a country that is no code, and forgets the address of a deleted customer", async () => {
  const stripe = stripeAt(stack.stripe);
  for (const country of ["Germany", "XX", "de"]) {
    await expect(stripe.customers.create({ address: { country } })).rejects.toMatchObject({
      type: "StripeInvalidRequestError",
      statusCode: 400,
      param: "address[country]",
      message: expect.stringContaining(`Country '${country}' is unknown.`),
    });
  }
  const made = await stripe.customers.create({ address: { line1: "1 Example Street", country: "DE" } });
  expect(made.address).toMatchObject({ line1: "1 Example Street", line2: null, country: "DE" });
  await stripe.customers.del(made.id);
  expect(await stripe.customers.retrieve(made.id)).not.toHaveProperty("address");
});
