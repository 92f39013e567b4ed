import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { DUPLICATE, DUPLICATE_EMAIL } from "../../../app/signup/notices";
import { readPage } from "../../support/visitors/page";
import { type Answer, typed } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The form as a visitor without a script reads it, empty and with what was wrong. */

const CONSOLE_URL = "https://console.test";
const MINI = "/subscription/5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10";
const UNKNOWN = "11111111-2222-4333-8444-555555555555";

const vars = { CONSOLE_URL, SUPPORT_EMAIL: "support@brand.test" };
const { upstream, visitor, dispose } = await startVisitedSite({ vars });
afterAll(dispose);

/** The sign-up's form: messages and hint are below a field; the summary is the list of problems above the form. */
function readForm(answer: Answer) {
  const page = readPage(answer);
  return {
    ...page,
    messages: (name: string) => page.wordsOfEach(`#signup-${name}-error li`),
    hint: (name: string) => page.words(`#signup-${name}-hint`),
    value: (name: string) => page.document.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value,
    summary: () => page.wordsOfEach("[aria-labelledby=error-summary] a"),
  };
}

async function submitted(change: Record<string, string>) {
  const answer = await visitor.submit(change);
  expect(answer.status).toBe(422);
  return readForm(answer);
}

/** Label and name of each field, in the order of the page. */
const sections = {
  "Contact Information": [
    ["Contact Name", "full_name"],
    ["Company Name", "company_name"],
    ["Email Address", "email"],
    ["Phone Number", "phone"],
    ["Password", "password"],
    ["Confirm Password", "confirmPassword"],
  ],
  "Billing Address": [
    ["Street Address", "address"],
    ["City", "city"],
    ["State/Province", "state"],
    ["ZIP Code", "zipCode"],
    ["Country", "country"],
  ],
} as const;

describe("the form", () => {
  test("has its heading and intro, and a card with its title and text", async () => {
    const { words } = readPage(await visitor.get("/subscription"));
    expect(words("h1")).toBe("Complete Your Subscription");
    expect(words("h1 + p")).toMatch(/^Join thousands of businesses/);
    const card = ".card[aria-labelledby=subscription-information]";
    expect(words(`${card} > h2`)).toBe("Subscription Information");
    expect(words(`${card} > h2 + p`)).toBe(
      "Complete your subscription by providing your contact and billing information.",
    );
  });

  test("has two sections, with all fields labeled and empty", async () => {
    const { document } = readPage(await visitor.get("/subscription"));
    const shown = [...document.querySelectorAll("fieldset")].map((fieldset) => [
      fieldset.querySelector("legend")?.textContent,
      [...fieldset.querySelectorAll("label")].map((label) => [label.textContent, label.control?.getAttribute("name")]),
    ]);
    expect(shown).toEqual(Object.entries(sections));
    const inputs = [...document.querySelectorAll<HTMLInputElement>("fieldset input")];
    expect(inputs.map(({ value }) => value)).toEqual(inputs.map(() => ""));
  });

  test("masks both passwords, and leaves them to password managers and pasting", async () => {
    const { document } = readPage(await visitor.get("/subscription"));
    for (const name of ["password", "confirmPassword"]) {
      const field = document.querySelector(`input[name=${name}]`);
      expect(field?.getAttribute("type")).toBe("password");
      expect(field?.getAttribute("autocomplete")).toBe("new-password");
      for (const hindrance of ["maxlength", "readonly", "onpaste"]) expect(field?.hasAttribute(hindrance)).toBe(false);
    }
  });

  test("lists the world's countries once, and not in a script", async () => {
    const { document, body } = readPage(await visitor.get("/subscription"));
    const field = document.querySelector("input[name=country]");
    const list = document.getElementById(field?.getAttribute("list") ?? "");
    const names = [...(list?.querySelectorAll("option") ?? [])].map((option) => option.value);
    expect(names).toHaveLength(250);
    expect(names).toEqual(expect.arrayContaining(["Germany", "Trinidad & Tobago", "Côte d’Ivoire"]));
    expect(list?.textContent).toBe("");
    expect(body.split("Liechtenstein")).toHaveLength(2);
    expect(Buffer.byteLength(list?.outerHTML ?? "")).toBeLessThan(10_000);
    const folder = join(import.meta.dirname, "../../../public/build");
    const scripts = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".js"));
    for (const name of scripts) {
      expect(await readFile(join(folder, name), "utf8"), name).not.toContain("Liechtenstein");
    }
  });

  test("names and links beside its button the two texts that the visitor accepts", async () => {
    const { document, words } = readForm(await visitor.get("/subscription"));
    const sentence = ".submit-area p";
    expect(words(sentence)).toBe("By continuing you accept the Terms and the Privacy Policy.");
    const links = [...document.querySelectorAll(`${sentence} a`)];
    expect(links.map((link) => link.getAttribute("href"))).toEqual(["/terms", "/privacy"]);
    expect(links.filter((link) => link.hasAttribute("target"))).toEqual([]);
  });

  test.each([
    ["/subscription", "$0 today. Your first 5 days are free."],
    [MINI, "$0 today. Then $100/month after 5 days unless you cancel."],
    [`/subscription/${UNKNOWN}`, "$0 today. Then the price you agreed with us after 5 days unless you cancel."],
  ])("shows directly above its button the price and the time of payment: %s", async (path, offer) => {
    expect(readForm(await visitor.get(path)).words("form p:has(+ button)")).toBe(offer);
  });
});

describe("an invalid form", () => {
  test("has a message under each field", async () => {
    const { document } = readForm(await visitor.post("password=short&confirmPassword=x"));
    for (const [label, name] of Object.values(sections).flat()) {
      const field = document.querySelector(`.field:has([name=${name}])`);
      const message = field?.lastElementChild;
      expect(message?.textContent, label).toMatch(/must be|is required|Please enter|do not match/);
      expect(field?.querySelector("input")?.getAttribute("aria-describedby")?.split(" ")).toContain(message?.id);
    }
  });

  test("describes its phone number and ZIP code by their hints too, like the empty form", async () => {
    for (const form of [readForm(await visitor.get("/subscription")), await submitted({ phone: "1", zipCode: "1" })]) {
      for (const name of ["phone", "zipCode"]) {
        const described = form.document.querySelector(`[name=${name}]`)?.getAttribute("aria-describedby");
        expect(described?.split(" ")).toContain(`signup-${name}-hint`);
        expect(form.hint(name)).not.toBe("");
      }
    }
  });

  test("links its summary to the plans if its package id is not a UUID", async () => {
    const form = await submitted({ package_id: "not-a-uuid" });
    expect(form.summary()).toEqual(["Invalid subscription ID"]);
    const link = form.document.querySelector("[aria-labelledby=error-summary] a")?.getAttribute("href") ?? "";
    expect(form.document.querySelector(link)?.textContent).toContain("MINI, $100 a month");
  });
});

describe("the plan", () => {
  const plan = "aside";

  test("with an id that is not a UUID is reported on arrival, above the form, with the plans to choose from", async () => {
    for (const path of ["/subscription/not-a-uuid", "/subscription?id=not-a-uuid"]) {
      const form = readForm(await visitor.get(path));
      expect(form.words(`${plan} h2`)).toBe("Invalid subscription ID");
      const links = [...form.document.querySelectorAll(`${plan} a`)];
      expect(links.map(({ textContent }) => textContent)).toEqual([
        "MINI, $100 a month",
        "LITE, $200 a month",
        "STANDARD, $500 a month",
        "Compare plans",
      ]);
      expect(links[0]?.getAttribute("href")).toBe(MINI);
      expect(form.summary()).toEqual([]);
    }
  });

  test("that the site does not know is a custom plan, shown without id and price", async () => {
    const form = readForm(await visitor.get(`/subscription/${UNKNOWN}`));
    expect(form.words(plan)).toContain("Custom plan");
    expect(form.words("main")).not.toContain(UNKNOWN);
    expect(form.words(plan)).not.toContain("$");
  });

  test("that the site knows shows its name and its price before and after the trial", async () => {
    const form = readForm(await visitor.get(MINI));
    expect(form.words(`${plan} p`)).toContain("MINI $100 a month 5-day free trial, then $100/month");
    const abroad = "Online sign-up takes US addresses. Elsewhere, contact sales.";
    expect(form.words(`${plan} p`)).toContain(abroad);
    expect(form.document.querySelector(`${plan} p a`)?.getAttribute("href")).toMatch(/^mailto:sales@/);
    expect(form.hint("zipCode")).toContain(abroad);
    const zipCode = form.document.querySelector("[name=zipCode]");
    expect(zipCode?.getAttribute("aria-describedby")).toBe("signup-zipCode-hint");
  });

  test.each([`?uuid=${UNKNOWN}`, `/${UNKNOWN}?id=other`])(
    "stands in the hidden field, and the form posts to its own URL: %s",
    async (path) => {
      const { document, value } = readForm(await visitor.get(`/subscription${path}`));
      expect(value("package_id")).toBe(UNKNOWN);
      expect(document.querySelector("form#signup")?.getAttribute("action")).toBe(`/subscription/${UNKNOWN}`);
    },
  );
});

test("a duplicate is reported at the email address, with the console's login and support, and gets the focus", async () => {
  upstream.answersJson(409, {});
  const answer = await visitor.submit();
  expect(answer.status).toBe(409);
  const form = readForm(answer);
  for (const [name, value] of Object.entries(typed)) expect(form.value(name), name).toBe(value);
  expect([form.value("password"), form.value("confirmPassword")]).toEqual(["", ""]);
  expect(form.messages("email")).toEqual([DUPLICATE_EMAIL]);
  expect(form.summary()).toEqual([]);
  expect(form.document.querySelector("[name=email]")?.getAttribute("aria-invalid")).toBe("true");
  const links = [...form.document.querySelectorAll("[role=alert] a")];
  expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["Log in to the Customer Console", CONSOLE_URL],
    ["Contact Support", "mailto:support@brand.test"],
  ]);
  const texts = [...form.document.querySelectorAll("body *")].map(({ textContent }) => textContent);
  expect(texts.filter((text) => text === DUPLICATE)).toHaveLength(1);
  expect(form.document.querySelectorAll(".notice button")).toHaveLength(0);
  expect(form.document.querySelector("[autofocus]")?.textContent).toContain("Submission Failed");
});
