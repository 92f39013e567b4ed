import { BODY_TOO_LARGE, BODY_TOO_SLOW, MALFORMED, type Refusal, UNSUPPORTED_TYPE } from "./refusals.server";

export type PostedForm = Readonly<Record<string, string>>;

const MAX_BODY_BYTES = 16 * 1024;
const MAX_FIELDS = 32;
/** Enough for 16 KB over a slow mobile connection. */
const BODY_DEADLINE_MS = 10_000;

const READ_REFUSALS = { "too long": BODY_TOO_LARGE, "too slow": BODY_TOO_SLOW, aborted: MALFORMED };

export function checkFormHeaders({ headers }: Request): Refusal | undefined {
  const type = headers.get("Content-Type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return UNSUPPORTED_TYPE;
  return Number(headers.get("Content-Length") ?? 0) > MAX_BODY_BYTES ? BODY_TOO_LARGE : undefined;
}

/** Reads a URL-encoded form and drops every field that is not in `fields`. */
export async function readForm(
  request: Request,
  fields: readonly string[],
): Promise<{ form: PostedForm } | { refusal: Refusal }> {
  const body = await readBoundedText(request, { bytes: MAX_BODY_BYTES, milliseconds: BODY_DEADLINE_MS });
  if (body.status !== "read") return { refusal: READ_REFUSALS[body.status] };
  const form = knownFields(body.text, fields);
  return form ? { form } : { refusal: MALFORMED };
}

/** Undefined when there are too many fields or a known one is repeated. */
function knownFields(body: string, names: readonly string[]): PostedForm | undefined {
  if (body.split("&", MAX_FIELDS + 1).length > MAX_FIELDS) return undefined;
  const form: Record<string, string> = {};
  let repeats = false;
  new URLSearchParams(body).forEach((value, name) => {
    if (!names.includes(name)) return;
    repeats ||= form[name] !== undefined;
    form[name] = value;
  });
  return repeats ? undefined : form;
}

type BodyText = { status: "read"; text: string } | { status: "too long" | "too slow" | "aborted" };

interface Limits {
  bytes: number;
  milliseconds?: number;
}

/** Reads a body of at most `bytes` as UTF-8, within `milliseconds` where given. */
export async function readBoundedText(message: Request | Response, { bytes, milliseconds }: Limits): Promise<BodyText> {
  const reading = read(message, bytes).catch((): BodyText => ({ status: "aborted" }));
  if (milliseconds === undefined) return reading;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<BodyText>((resolve) => {
    timer = setTimeout(() => resolve({ status: "too slow" }), milliseconds);
  });
  const result = await Promise.race([reading, timeout]);
  clearTimeout(timer);
  return result;
}

/** The part of https://developers.cloudflare.com/workers/runtime-apis/streams/ that the DOM's types lack. */
interface FillingReader {
  /** Waits until the view is full or the stream has ended. */
  read(view: Uint8Array<ArrayBuffer>, options: { min: number }): Promise<{ value?: Uint8Array<ArrayBuffer> }>;
  cancel(): Promise<void>;
}

const SHORT_BODY_BYTES = 4096;

/** Takes one byte more than the limit at most. A Content-Length is not believed: chunks override it (RFC 9112, section 6.3). */
async function read({ body }: Request | Response, limit: number): Promise<BodyText> {
  if (body === null) return { status: "read", text: "" };
  const reader: FillingReader = body.getReader({ mode: "byob" });
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  // Most bodies are short, and to clear a long buffer costs more than to read them.
  for (let length = Math.min(SHORT_BODY_BYTES, limit + 1); size <= limit; length = limit + 1 - size) {
    const { value } = await reader.read(new Uint8Array(length), { min: length });
    text += decoder.decode(value, { stream: true });
    size += value?.byteLength ?? 0;
    if (!value || value.byteLength < length) break;
  }
  if (size <= limit) return { status: "read", text: text + decoder.decode() };
  await reader.cancel();
  return { status: "too long" };
}
