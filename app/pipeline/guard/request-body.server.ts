import { readBoundedText } from "../../shared/bounded-body";
import { BODY_TOO_LARGE, BODY_TOO_SLOW, MALFORMED, type Refusal, UNSUPPORTED_TYPE } from "./refusals.server";

export type PostedForm = Readonly<Record<string, string>>;

const MAX_BODY_BYTES = 16 * 1024;
const MAX_FIELDS = 32;
/** More than any valid field needs, percent-encoded. */
const MAX_RETURNED_FIELD_BYTES = 4 * 1024;
/** Of a longer form nothing is read. */
export const MAX_RETURNED_BODY_BYTES = 256 * 1024;
/** Enough for 16 KB over a slow mobile connection. */
const BODY_DEADLINE_MS = 10_000;
/** For a refused body, read only to fill in the returned form. */
const REFUSED_BODY_DEADLINE_MS = 2_000;

const READ_REFUSALS = { "too slow": BODY_TOO_SLOW, aborted: MALFORMED };

/** The two types of HTML forms. */
export const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/**
 * Reads a form, drops unknown fields and refuses files. Of a URL-encoded form over the limit it returns the part within
 * the limit, so that the page can give it back; where the length is declared, long fields are cut first.
 */
export async function readForm(
  request: Request,
  fields: readonly string[],
  deadlineFactor = 1,
): Promise<{ form: PostedForm } | { refusal: Refusal; form?: PostedForm | undefined }> {
  const type = request.headers.get("Content-Type") ?? "";
  const isMultipart = /^multipart/i.test(type);
  const isDeclaredTooLarge = Number(request.headers.get("Content-Length") ?? 0) > MAX_BODY_BYTES;
  const body = isDeclaredTooLarge
    ? await readBoundedText(withCutFields(request), {
        bytes: MAX_BODY_BYTES,
        milliseconds: REFUSED_BODY_DEADLINE_MS * deadlineFactor,
      })
    : await readBoundedText(request, { bytes: MAX_BODY_BYTES, milliseconds: BODY_DEADLINE_MS * deadlineFactor });
  if (isDeclaredTooLarge || body.status === "too long") {
    const begun = "text" in body && !isMultipart ? readUrlEncoded(body.text, fields) : {};
    return { ...begun, refusal: BODY_TOO_LARGE };
  }
  if (body.status !== "read") return { refusal: READ_REFUSALS[body.status] };
  if (!isMultipart) return readUrlEncoded(body.text, fields);
  const entries = await new Response(body.text, { headers: { "Content-Type": type } })
    .formData()
    .then((data) => [...data])
    .catch(() => undefined);
  if (!entries || entries.length > MAX_FIELDS) return { refusal: MALFORMED };
  const texts = entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  return texts.length === entries.length ? knownFields(texts, fields) : { refusal: UNSUPPORTED_TYPE };
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
      if (size > MAX_RETURNED_BODY_BYTES) controller.terminate();
    },
  });
  return new Response(body?.pipeThrough(cut));
}

function readUrlEncoded(body: string, names: readonly string[]): { form: PostedForm } | { refusal: Refusal } {
  if (body.split("&", MAX_FIELDS + 1).length > MAX_FIELDS) return { refusal: MALFORMED };
  return knownFields(new URLSearchParams(body), names);
}

function knownFields(
  entries: Iterable<readonly [string, string]>,
  names: readonly string[],
): { form: PostedForm } | { refusal: Refusal } {
  const form: Record<string, string> = {};
  for (const [name, value] of entries) {
    if (!names.includes(name)) continue;
    if (form[name] !== undefined) return { refusal: MALFORMED };
    form[name] = value;
  }
  return { form };
}
