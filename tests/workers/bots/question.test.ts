import { afterAll, beforeEach, expect, test } from "vitest";
import { readForm } from "../../support/visitors/page";
import { type Answer, logged, nonceIn, PASSWORD, SECRET, typed } from "../../support/visitors/site-visitor";
import { startVisitedSite } from "../../support/visitors/visited-site";

/* The question that a form comes back with, and the button that answers it. */

const { upstream, site, visitor, dispose } = await startVisitedSite({ vars: { BOT_CHECK: "true" } });
afterAll(dispose);
beforeEach(() => upstream.answersJson(200, { client_secret: SECRET }));

/** As a script fills in every field that it finds, at once. */
async function suspected(): Promise<Answer> {
  const form_nonce = nonceIn(await visitor.get("/subscription"));
  return visitor.submit({ form_nonce, website: "https://evil.test" });
}

const buttonsOf = (answer: Answer) => [
  ...readForm(answer).document.querySelectorAll<HTMLButtonElement>("#signup button[type=submit]"),
];
const tokenIn = (answer: Answer) => buttonsOf(answer)[0]?.value ?? "";
const keys = () => upstream.calls.map(({ headers }) => headers["idempotency-key"]);

test("a form with two signals comes back with its values except the passwords, and with a challenge button [H20]", async () => {
  const answer = await suspected();
  expect(answer.status).toBe(422);
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
  const form = readForm(answer);
  expect(form.words("[role=alert]")).toContain("One more step");
  expect(form.words("[role=alert]")).toContain("Press the button at the end of the form to confirm");
  expect(form.words("[role=alert]")).toContain("Enter it again");
  expect(form.messages("password")).toEqual(["Enter your password again"]);
  expect(form.messages("confirmPassword")).toEqual(["Enter your password again"]);
  for (const [name, value] of Object.entries(typed)) expect(form.value(name)).toBe(value);
  expect(form.value("password")).toBe("");
  expect(answer.body).not.toContain(PASSWORD);
  expect(buttonsOf(answer).map(({ textContent }) => textContent)).toEqual(["Confirm and continue"]);
  expect(upstream.calls).toHaveLength(0);
});

test("the challenge button lets the form pass, and pressed twice creates one sign-up [H20]", async () => {
  const asked = await suspected();
  const pressed = { form_nonce: nonceIn(asked), confirmation: tokenIn(asked) };
  expect((await visitor.submit(pressed)).status).toBe(303);
  expect((await visitor.submit(pressed)).status).toBe(303);
  expect(new Set(keys()).size).toBe(1);
  expect(JSON.parse(upstream.calls[0]?.body ?? "")).not.toHaveProperty("website");
});

test("the log has only the names of the signals [H20]", async () => {
  site.logs.length = 0;
  await suspected();
  await expect.poll(() => site.logs.filter(({ event }) => event === "signup_suspected")).toHaveLength(1);
  const line = site.logs.find(({ event }) => event === "signup_suspected");
  expect(line).toEqual({
    level: "warn",
    event: "signup_suspected",
    request_id: line?.request_id,
    signals: ["honeypot", "fast"],
  });
  expect(logged(site)).not.toMatch(/evil\.test|example\.com|S3ntinel/);
});

test("the honeypot is hidden, except in text browsers, where its label says to leave it empty [H20]", async () => {
  const page = await visitor.get("/subscription");
  const { document } = readForm(page);
  const honeypot = document.querySelector<HTMLInputElement>("input[name=website]");
  expect(honeypot?.labels?.[0]?.textContent).toBe("Leave this field empty");
  expect(honeypot?.getAttribute("tabindex")).toBe("-1");
  expect(honeypot?.getAttribute("autocomplete")).toBe("off");
  expect(honeypot?.closest(".honeypot")).not.toBeNull();
  expect(document.querySelector("style")?.textContent).toContain(".honeypot{display:none}");
  const others = [...document.querySelectorAll("#signup label:not(.honeypot)")].map(
    ({ textContent }) => textContent ?? "",
  );
  expect(others.length).toBe(11);
  for (const label of others) expect("Leave this field empty".toLowerCase()).not.toContain(label.toLowerCase());
});
