// @vitest-environment jsdom
import { act, createElement } from "react";
import { expect, test } from "vitest";
import { SignupPage } from "../../../app/signup/signup-page";
import { fields } from "../../support/person";
import { PLAN } from "../../support/site-in-process/site-settings";
import { renderedPages } from "./rendered-page";

/* A form that the browser refuses to send: what a screen reader hears besides the focus, in order. */

const show = renderedPages();

/** Shows a form in which these fields are filled in. */
async function formWith(values: Record<string, string>, packageId: string = PLAN) {
  const page = await show(createElement(SignupPage), { step: "form", packageId });
  const inputNamed = (name: string) => page.container.querySelector<HTMLInputElement>(`input[name=${name}]`);
  const fill = (name: string, value: string) =>
    act(async () => {
      const input = inputNamed(name);
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, value);
      input?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  for (const [name, value] of Object.entries(values)) await fill(name, value);
  const heard: string[] = [];
  const regions = [...page.container.querySelectorAll("[role=status], [role=alert]")];
  const listener = new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes) if (addedNodes.length > 0) heard.push(target.textContent ?? "");
  });
  for (const region of regions) listener.observe(region, { childList: true, subtree: true, characterData: true });
  return {
    ...page,
    heard,
    fill,
    focus: (name: string) => act(async () => inputNamed(name)?.focus()),
    /** As the Enter key in a field. */
    submit: () => act(async () => page.container.querySelector("form")?.requestSubmit(page.button("Payment"))),
    status: () => page.container.querySelector("[role=status]")?.textContent,
  };
}

const { package_id: _, ...valid } = fields;
const { full_name: __, ...unnamed } = valid;
const { country: ___, ...unfinished } = unnamed;
const NO_NAME = "Contact name must be at least 2 characters";

test.each([
  { name: "one field", values: unnamed, says: `1 field needs attention. ${NO_NAME}` },
  { name: "two fields", values: unfinished, says: `2 fields need attention. ${NO_NAME}` },
])("a submit in the first invalid field says how many there are, and its message: $name", async ({ values, says }) => {
  const form = await formWith(values);
  await form.focus("full_name");
  await form.submit();
  expect(form.heard).toEqual([says]);
});

test("a submit from elsewhere leaves the message to the field that gets the focus", async () => {
  const form = await formWith(unfinished);
  await form.focus("city");
  await form.submit();
  expect(document.activeElement).toHaveProperty("name", "full_name");
  expect(form.heard).toEqual(["2 fields need attention."]);
});

test("a submit without a valid plan leaves the messages to the summary that gets the focus", async () => {
  const form = await formWith(valid, "not-a-uuid");
  await form.focus("city");
  await form.submit();
  expect(document.activeElement?.textContent).toContain("There is a problem");
  expect(form.heard).toEqual(["1 field needs attention."]);
});

test("each refused submit is heard", async () => {
  const form = await formWith(unnamed);
  await form.focus("full_name");
  await form.submit();
  await form.submit();
  expect(form.heard).toHaveLength(2);
});

test("nothing is heard again on the way through the fields", async () => {
  const form = await formWith(unfinished);
  await form.submit();
  await form.focus("country");
  await form.fill("country", "Canada");
  await form.focus("city");
  expect(form.heard).toHaveLength(1);
});

test("the count goes once a field changes", async () => {
  const form = await formWith(unfinished);
  await form.submit();
  await form.fill("country", "Canada");
  expect(form.status()).toBe("");
});

test("without a valid plan, the focus stays in the field that is corrected", async () => {
  const form = await formWith(unnamed, "not-a-uuid");
  await form.submit();
  await form.focus("full_name");
  await form.fill("full_name", "Ada");
  expect(document.activeElement).toHaveProperty("name", "full_name");
});
