import type { Submission } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import * as z from "zod/mini";
import {
  BODY_TOO_LARGE,
  BODY_TOO_SLOW,
  MALFORMED,
  type Refusal,
  UNSUPPORTED_TYPE,
} from "../../pipeline/guard/refusals.server";
import { readBoundedText } from "../../shared/bounded-body";
import {
  FIELD_NAMES,
  POSTED_FIELDS,
  SECRET_FIELDS,
  SHOWN_PRICE_FIELD,
  type SignupForm,
  signupForm,
  withoutEmptyFields,
} from "../form-schema";
import { type Notice, noticeForRefusal } from "../notices";
import type { SignupReply } from "../steps";

export type PostedFields = Readonly<Record<string, string>>;

/** The fields that could be read, and why not all of them. */
export interface PostedForm {
  fields: PostedFields;
  problem?: Refusal;
}

const MAX_BODY_BYTES = 16 * 1024;
const MAX_FIELDS = 32;
/** More than any valid field needs, percent-encoded. */
const MAX_RETURNED_FIELD_BYTES = 4 * 1024;
const MAX_REFUSED_BODY_BYTES = 256 * 1024;
/** Enough for 16 KB over a slow mobile connection. */
const BODY_DEADLINE_MS = 10_000;
/** For a body that is read only to fill in the returned form. */
const REFUSED_BODY_DEADLINE_MS = 2_000;

const READ_PROBLEMS = { "too slow": BODY_TOO_SLOW, aborted: MALFORMED };

/**
 * Reads a form's known fields; drops all others and refuses files. Of a URL-encoded form over the limit it reads the part
 * within the limit; where the length is declared, long fields are cut first.
 * @param options.isRefused true for a form that is read only to return it
 */
export async function readForm(request: Request, { deadlineFactor = 1, isRefused = false } = {}): Promise<PostedForm> {
  const type = request.headers.get("Content-Type") ?? "";
  const isMultipart = /^multipart/i.test(type);
  const isDeclaredTooLarge = Number(request.headers.get("Content-Length") ?? 0) > MAX_BODY_BYTES;
  const deadline = isRefused || isDeclaredTooLarge ? REFUSED_BODY_DEADLINE_MS : BODY_DEADLINE_MS;
  const source = isDeclaredTooLarge ? withCutFields(request) : request;
  const body = await readBoundedText(source, { bytes: MAX_BODY_BYTES, milliseconds: deadline * deadlineFactor });
  if (isDeclaredTooLarge || body.status === "too long") {
    const { fields } = "text" in body && !isMultipart ? readUrlEncoded(body.text) : { fields: {} };
    return { fields, problem: BODY_TOO_LARGE };
  }
  if (body.status !== "read") return { fields: {}, problem: READ_PROBLEMS[body.status] };
  if (!isMultipart) return readUrlEncoded(body.text);
  const entries = await new Response(body.text, { headers: { "Content-Type": type } })
    .formData()
    .then((data) => [...data])
    .catch(() => undefined);
  if (!entries || entries.length > MAX_FIELDS) return { fields: {}, problem: MALFORMED };
  const texts = entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  return texts.length === entries.length ? knownFields(texts) : { fields: {}, problem: UNSUPPORTED_TYPE };
}

const AMPERSAND = 38;

/** A long field must not hide those after it. */
function withCutFields({ body }: Request): Response {
  let size = 0;
  let fieldSize = 0;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(
        chunk.filter((byte) => {
          fieldSize = byte === AMPERSAND ? 0 : fieldSize + 1;
          return fieldSize <= MAX_RETURNED_FIELD_BYTES;
        }),
      );
      size += chunk.byteLength;
      if (size > MAX_REFUSED_BODY_BYTES) controller.terminate();
    },
  });
  return new Response(body?.pipeThrough(cut));
}

function readUrlEncoded(body: string): PostedForm {
  if (body.split("&", MAX_FIELDS + 1).length > MAX_FIELDS) return { fields: {}, problem: MALFORMED };
  return knownFields(new URLSearchParams(body));
}

function knownFields(entries: Iterable<readonly [string, string]>): PostedForm {
  const fields: Record<string, string> = {};
  for (const [name, value] of entries) {
    if (!POSTED_FIELDS.includes(name)) continue;
    if (fields[name] !== undefined) return { fields: {}, problem: MALFORMED };
    fields[name] = value;
  }
  return { fields };
}

/** All values are strings, so dropping the empty ones replaces Conform's coercion. */
const filledForm = z.pipe(z.transform(withoutEmptyFields), signupForm);

/** Validates a form on the server, with the same result as in the browser. */
export function parseForm(fields: PostedFields): Submission<SignupForm, string[]> {
  return parseWithZod(new URLSearchParams(fields), { schema: filledForm, disableAutoCoercion: true });
}

/** The plan's price as the page showed it, in US cents. Undefined where the page showed none. */
export function shownPriceIn(fields: PostedFields): number | undefined {
  const cents = fields[SHOWN_PRICE_FIELD] ?? "";
  return /^\d{1,9}$/.test(cents) ? Number(cents) : undefined;
}

/** The longest valid value. */
const MAX_ENTRY_LENGTH = 256;
/** Longer than any real value. A returned value appears three times on the page. */
const MAX_RETURNED_LENGTH = 3000;

/** The posted form for the page, without the passwords. */
export function returned(submission: Submission<SignupForm, string[]>) {
  const reply = submission.reply({ hideFields: SECRET_FIELDS });
  const values = Object.entries(reply.initialValue ?? {}).map(([name, value]) => {
    return [name, typeof value === "string" ? value.slice(0, MAX_RETURNED_LENGTH) : value] as const;
  });
  return { ...reply, initialValue: Object.fromEntries(values) };
}

/** The page of a form that was refused unread or could not be read whole, with what was read of it. */
export function refused({ fields, problem }: Required<PostedForm>): SignupReply {
  const notice = noticeForRefusal(problem);
  if (Object.keys(fields).length === 0) return { notice };
  const submission = parseForm(fields);
  const form = returned(submission);
  if (problem.status !== 413) return { form, notice };
  // No messages at the fields that were not read, but one at the longest.
  return { form: { ...form, error: undefined }, notice: { ...notice, ...longestField(fields, submission) } };
}

function longestField(fields: PostedFields, submission: Submission<SignupForm, string[]>): Pick<Notice, "fields"> {
  const [longest] = [...FIELD_NAMES].sort((one, another) => lengthOf(fields[another]) - lengthOf(fields[one]));
  if (longest === undefined || lengthOf(fields[longest]) <= MAX_ENTRY_LENGTH) return {};
  const errors = submission.status === "success" ? undefined : submission.error;
  return { fields: { [longest]: errors?.[longest] ?? ["Please shorten this entry"] } };
}

const lengthOf = (value = "") => value.length;
