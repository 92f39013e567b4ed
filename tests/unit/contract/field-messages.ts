import { expect } from "vitest";
import * as z from "zod/mini";
import { subscriptionRequest, withoutEmptyFields } from "../../../app/contract/subscription-request";
import { validateInBrowser } from "../../../app/signup/form/validate-in-browser";
import { signupForm } from "../../../app/signup/form-schema";
import { validateOnServer } from "../../../app/signup/server/form/posted-form.server";
import { fields } from "../../support/person";

const { package_id: _, ...valid } = fields;

export { valid as validForm };

export type Messages = Record<string, string[] | undefined>;
const messagesIn = (error?: z.core.$ZodError): Messages => (error ? z.flattenError(error).fieldErrors : {});

/**
 * The messages by field for a valid form with some other values. Fails unless the API gives the same messages, and the site
 * does in the browser as on its server.
 */
export function messagesFor(change: Record<string, unknown>): Messages {
  const form = { ...valid, ...change };
  const messages = messagesIn(signupForm.safeParse(withoutEmptyFields(form)).error);
  // The contract has no confirmation of the password.
  const { confirmPassword: _, ...ofContract } = messages;
  expect(messagesIn(subscriptionRequest.safeParse(withoutEmptyFields(form)).error), "the API's messages").toEqual(
    ofContract,
  );
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
export function sentFor(field: string, typed: string): unknown {
  const form = { ...valid, [field]: typed };
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
