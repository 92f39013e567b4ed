import { expect, test } from "vitest";
import * as z from "zod/mini";
import { type FormField, formFields } from "../../../app/contract/fields/form-fields";
import { subscriptionRequest, withoutEmptyFields } from "../../../app/contract/subscription-request";
import { validateInBrowser } from "../../../app/signup/form/validate-in-browser";
import { signupForm, toRequest } from "../../../app/signup/form-schema";
import { validateOnServer } from "../../../app/signup/server/form/posted-form.server";
import { fields } from "../../support/person";
import { ACCEPTED, REFUSED } from "./typed-values";

/* The fields' rules and messages, the same in the site's form and in the API's request. */

const { package_id: _, ...validForm } = fields;

type Messages = Record<string, string[] | undefined>;
const messagesIn = (error?: z.core.$ZodError): Messages => (error ? z.flattenError(error).fieldErrors : {});

/**
 * The messages by field for a valid form with some other values. Fails unless the API gives the same messages, and the site
 * does in the browser as on its server.
 */
function messagesFor(change: Record<string, unknown>): Messages {
  const form = { ...validForm, ...change };
  const messages = messagesIn(signupForm.safeParse(withoutEmptyFields(form)).error);
  // The contract has no confirmation of the password.
  const { confirmPassword: _, ...ofContract } = messages;
  const ofApi = messagesIn(subscriptionRequest.safeParse(withoutEmptyFields(form)).error);
  expect(ofApi, "the API's messages").toEqual(ofContract);
  const posted = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value != null) posted.append(name, `${value}`);
  const data = new FormData();
  for (const [name, value] of posted) data.append(name, value);
  expect(validateInBrowser(data).reply().error ?? {}, "the browser's messages").toEqual(messages);
  const onServer = validateOnServer(Object.fromEntries(posted)).reply().error ?? {};
  expect(onServer, "the site's messages").toEqual(messages);
  return messages;
}

/** The value that a valid form sends for a field. Fails unless browser, site and API agree on it. */
function sentFor(field: string, typed: string): unknown {
  const form = { ...validForm, [field]: typed };
  const inBrowser = new FormData();
  for (const [name, value] of Object.entries(form)) inBrowser.append(name, `${value}`);
  const onServer = Object.fromEntries(new URLSearchParams(form));
  const submissions = { browser: validateInBrowser(inBrowser), site: validateOnServer(onServer) };
  const api = subscriptionRequest.safeParse(withoutEmptyFields(form)).data;
  const sent = valueIn(api, field);
  for (const [where, submission] of Object.entries(submissions))
    expect(submission.status === "success" ? valueIn(submission.value, field) : submission, where).toBe(sent);
  return sent;
}

const valueIn = (values: object | undefined, field: string): unknown =>
  Object.entries(values ?? {}).find(([name]) => name === field)?.[1];

const FIELDS: Partial<Record<string, FormField>> = formFields;
const shownValue = (field: string, value: string) => FIELDS[field]?.format?.(value) ?? value;
const PACKAGE_ID = "C7E2D9A4-61B8-4F0A-A3D5-1E8F5B90C430";

test.each(ACCEPTED)("the field $field takes $typed, and shows and sends $sent", (row) => {
  const { field, typed, sent, shown = sent } = row;
  expect(messagesFor({ [field]: typed })).toEqual({});
  expect(sentFor(field, typed)).toBe(sent);
  expect(shownValue(field, typed)).toBe(shown);
  expect(shownValue(field, shown), "shown once more").toBe(shown);
  expect(sentFor(field, shown), "sent as shown").toBe(sent);
  expect(sentFor(field, sent), "sent once more").toBe(sent);
});

test.each(REFUSED)("the field $field answers $typed with its message", ({ field, typed, message }) => {
  const shown = shownValue(field, typed);
  expect(messagesFor({ [field]: typed })).toEqual({ [field]: [message] });
  expect(messagesFor({ [field]: shown }), "what the form shows").toEqual({ [field]: [message] });
  if (field === "phone") expect(shown, "a refused phone number stays as typed").toBe(typed);
});

/** @returns the messages for a value, which confirms itself if it is a password */
const messagesOf = (field: string, value: unknown) =>
  messagesFor({ [field]: value, ...(field === "password" && { confirmPassword: value }) });

const TOO_SHORT = "Password must be at least 8 characters";

test.each<{ field: string; values: unknown[]; message?: string }>([
  { field: "package_id", values: [undefined, null, "", PACKAGE_ID] },
  { field: "package_id", values: ["mini"], message: "Invalid subscription ID" },
  { field: "email", values: [undefined], message: "Please enter a valid email address" },
  { field: "phone", values: [undefined], message: "Phone number is required" },
  { field: "zipCode", values: [undefined], message: "ZIP code must be at least 5 characters" },
  { field: "password", values: ["Passw0r!", "  P\u00e4ssw0rd\u0301 ", `aA1!${"x".repeat(252)}`] },
  { field: "password", values: [undefined, "Pa0 !xx", "Pa0 !\u{1f600}\u{1f600}"], message: TOO_SHORT },
  { field: "password", values: [`aA1!${"x".repeat(253)}`], message: "Password must be at most 256 characters" },
  { field: "password", values: ["Passw0rd!\ufffd"], message: "Password must not contain unreadable characters" },
])("the field $field answers each of $values with $message", ({ field, values, message }) => {
  for (const value of values)
    expect(messagesOf(field, value), String(value)).toEqual(message === undefined ? {} : { [field]: [message] });
});

const ASCII = Array.from({ length: 95 }, (_, nth) => String.fromCharCode(0x20 + nth));

// Only ASCII has letters and numbers here. A letter counts the same composed and decomposed.
test.each([
  { needs: "uppercase letter", others: "aaaa11!!", has: /^[A-Z]$/, beyond: ["\u00c4", "A\u0308"] },
  { needs: "lowercase letter", others: "AAAA11!!", has: /^[a-z]$/, beyond: ["\u00e4", "a\u0308"] },
  { needs: "number", others: "AAaaaa!!", has: /^[0-9]$/, beyond: ["\u0663"] },
  { needs: "special character", others: "AAaaaa11", has: /[^A-Za-z0-9]/, beyond: ["\u00e4", "a\u0308", "\u0663", "€"] },
])("a password needs at least one $needs", ({ needs, others, has, beyond }) => {
  const message = `Password must contain at least one ${needs}`;
  for (const character of [...ASCII, ...beyond]) {
    const messages = has.test(character) ? {} : { password: [message] };
    expect(messagesOf("password", others + character), character).toEqual(messages);
  }
});

// The first and last character of each refused range: control, delete, bidirectional, half a pair, invalid UTF-8.
const UNREADABLE = [..."\u0000\u0008\u000e\u001f\u007f\u009f\u202a\u202e\u2066\u2069\ufffd", "\ud800", "\udfff"];
const WHITE_SPACE = " \t\n\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000";

test.each([
  { field: "full_name", label: "Contact name", min: 2, max: 100 },
  { field: "company_name", label: "Company name", min: 2, max: 100 },
  { field: "address", label: "Street address", min: 5, max: 150 },
  { field: "city", label: "City", min: 2, max: 80 },
  { field: "state", label: "State", min: 2, max: 80 },
  { field: "country", label: "Country", min: 2, max: 60 },
])("the field $field has $min to $max readable characters of any language, and single spaces", (row) => {
  const { field, label, min, max } = row;
  const messageFor = (value: string) => messagesFor({ [field]: value })[field]?.[0];
  for (const taken of ["x".repeat(min), "x".repeat(max), "Az3 éß李\u2027\u206a\ufffc.'-&x"])
    expect(messageFor(taken), taken).toBeUndefined();
  expect(messageFor("x".repeat(min - 1))).toBe(`${label} must be at least ${min} characters`);
  expect(messageFor("x".repeat(max + 1))).toBe(`${label} must be at most ${max} characters`);
  const unreadable = `${label} must not contain control or unreadable characters`;
  for (const character of UNREADABLE)
    expect(messageFor(`Ada${character}Ada`), JSON.stringify(character)).toBe(unreadable);
  for (const space of [WHITE_SPACE, ...WHITE_SPACE])
    expect(sentFor(field, `${space}Ada${space}Ada${space}`), JSON.stringify(space)).toBe("Ada Ada");
});

const MISMATCH = { confirmPassword: ["Passwords do not match"] };
const SHORT_PASSWORD = { password: [TOO_SHORT] };
const NO_CITY = { city: ["City must be at least 2 characters"] };

test.each([
  { what: "nothing", password: "Passw0rd!1", confirmPassword: undefined, messages: MISMATCH },
  { what: "it, composed", password: "Gru\u0308\u00dfe-26x", confirmPassword: "Gr\u00fc\u00dfe-26x", messages: {} },
  { what: "it, decomposed", password: "\u1ec7-Passw0rd", confirmPassword: "e\u0323\u0302-Passw0rd", messages: {} },
  { what: "it and a space", password: "Passw0rd !", confirmPassword: "Passw0rd ! ", messages: MISMATCH },
  { what: "it with a wide digit", password: "Passw0rd!1", confirmPassword: "Passw0rd!\uff11", messages: MISMATCH },
  { what: "another word without a city", confirmPassword: "other", city: "", messages: { ...MISMATCH, ...NO_CITY } },
  { what: "another word", password: "Passw0!", confirmPassword: "other", messages: { ...SHORT_PASSWORD, ...MISMATCH } },
  { what: "nothing, like the password", password: undefined, confirmPassword: undefined, messages: SHORT_PASSWORD },
])("a confirmation of $what has the messages $messages", ({ what: _, messages, ...typed }) => {
  expect(messagesFor(typed)).toEqual(messages);
});

test("the request to the API has the contract's keys alone, the exact first password and the package ID in lowercase", () => {
  const password = "  Pa\u0308ssw0rd\u0301 ";
  const typed = { role: "admin", package_id: PACKAGE_ID, password, confirmPassword: password.normalize("NFC") };
  const request = toRequest(signupForm.parse({ ...validForm, ...typed }));
  const { confirmPassword: _, ...contract } = validForm;
  expect(Object.keys(request).sort()).toEqual(["package_id", ...Object.keys(contract)].sort());
  expect(request).toMatchObject({ password, package_id: PACKAGE_ID.toLowerCase() });
});
