import type { Submission } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import * as z from "zod/mini";
import { withoutEmptyFields } from "../../../contract/subscription-request";
import type { SomeTerms } from "../../../contract/terms";
import { validTerms } from "../../../contract/terms-schema";
import {
  BODY_TOO_LARGE,
  BODY_TOO_SLOW,
  MALFORMED,
  type Refusal,
  UNSUPPORTED_TYPE,
} from "../../../pipeline/guard/refusals.server";
import { MAX_FORM_BYTES } from "../../../pipeline/guard/request-guard.server";
import { readBoundedBytes } from "../../../shared/http/bounded-body";
import { parseJson } from "../../../shared/http/parse-json";
import {
  COOKIE_SET_FIELD,
  FIELD_NAMES,
  PLAN_CHOICE_FIELD,
  type SignupForm,
  signupForm,
  TURNSTILE_FIELD,
  withChosenPlan,
} from "../../form-schema";

export type PostedFields = Readonly<Record<string, string>>;

interface ReceivedForm {
  fields: PostedFields;
  problem?: Refusal;
}

const MAX_BODY_BYTES = 16 * 1024;
const MAX_FIELDS = 32;
/** Enough for 16 KB over a slow mobile connection. */
const BODY_DEADLINE_MS = 10_000;
/** The longest value of a field that a visitor fills in. From a form over the size limit, longer values are not returned. */
const MAX_ENTRY_LENGTH = 256;

/** Longer than any real value. A returned value appears three times on the page. */
const MAX_RETURNED_LENGTH = 3000;

const SHOWN_TERMS = Object.keys(validTerms.shape);

/** `sign_up` is the idempotency key of the sign-up that a button belongs to. */
const POSTED_FIELDS: readonly string[] = [
  ...FIELD_NAMES,
  ...["intent", "sign_up", ...SHOWN_TERMS, PLAN_CHOICE_FIELD, TURNSTILE_FIELD, COOKIE_SET_FIELD],
];

const SECRET_FIELDS: ("password" | "confirmPassword")[] = ["password", "confirmPassword"];

const READ_PROBLEMS = { "too slow": BODY_TOO_SLOW, aborted: MALFORMED };

/** Reads a form's known fields. Drops all others and refuses files. Refuses a form over 16 KB, but returns its short fields. */
export async function readForm(request: Request): Promise<ReceivedForm> {
  const body = await readBoundedBytes(request, { bytes: MAX_FORM_BYTES, milliseconds: BODY_DEADLINE_MS });
  if (!("bytes" in body)) return { fields: {}, problem: READ_PROBLEMS[body.status] };
  const type = request.headers.get("Content-Type") ?? "";
  const form = /^multipart/i.test(type)
    ? await readMultipart(body.bytes, type)
    : readUrlEncoded(new TextDecoder().decode(body.bytes));
  if (body.bytes.byteLength <= MAX_BODY_BYTES) return form;
  const short = Object.entries(form.fields).filter(([, value]) => value.length <= MAX_ENTRY_LENGTH);
  return { fields: Object.fromEntries(short), problem: BODY_TOO_LARGE };
}

async function readMultipart(body: Uint8Array<ArrayBuffer>, type: string): Promise<ReceivedForm> {
  const entries = await new Response(body, { headers: { "Content-Type": type } })
    .formData()
    .then((data) => [...data])
    .catch(() => undefined);
  if (!entries || entries.length > MAX_FIELDS) return { fields: {}, problem: MALFORMED };
  const texts = entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  return texts.length === entries.length ? knownFields(texts) : { fields: {}, problem: UNSUPPORTED_TYPE };
}

function readUrlEncoded(body: string): ReceivedForm {
  if (body.split("&", MAX_FIELDS + 1).length > MAX_FIELDS) return { fields: {}, problem: MALFORMED };
  return knownFields(new URLSearchParams(body));
}

function knownFields(entries: Iterable<readonly [string, string]>): ReceivedForm {
  const fields: Record<string, string> = {};
  for (const [name, value] of entries) {
    if (!POSTED_FIELDS.includes(name)) continue;
    if (fields[name] !== undefined) return { fields: {}, problem: MALFORMED };
    fields[name] = value;
  }
  return { fields: withChosenPlan(fields) };
}

/** All values are strings, so dropping the empty ones replaces Conform's coercion. */
const filledForm = z.pipe(z.transform(withoutEmptyFields), signupForm);

export function validateOnServer(fields: PostedFields): Submission<SignupForm, string[]> {
  return parseWithZod(new URLSearchParams(fields), { schema: filledForm, disableAutoCoercion: true });
}

export function returned(submission: Submission<SignupForm, string[]>) {
  const reply = submission.reply({ hideFields: SECRET_FIELDS });
  const values = Object.entries(reply.initialValue ?? {}).map(([name, value]) => {
    return [name, typeof value === "string" ? value.slice(0, MAX_RETURNED_LENGTH) : value] as const;
  });
  return { ...reply, initialValue: Object.fromEntries(values) };
}

export function shownTermsIn(fields: Readonly<Record<string, unknown>>): SomeTerms {
  return validTerms.parse(Object.fromEntries(SHOWN_TERMS.map((name) => [name, parseJson(String(fields[name] ?? ""))])));
}
