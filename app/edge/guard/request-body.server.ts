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

async function read(message: Request | Response, limit: number): Promise<BodyText> {
  if (message.body === null) return { status: "read", text: "" };
  if (fitsLimit(message.headers, limit)) return { status: "read", text: await message.text() };
  const reader = message.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { status: "read", text: text + decoder.decode() };
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      return { status: "too long" };
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** HTTP delimits a body by its Content-Length (RFC 9112, section 6.3), but a compressed body grows when it is read. */
function fitsLimit(headers: Headers, limit: number): boolean {
  const length = headers.get("Content-Length");
  return length !== null && Number(length) <= limit && !headers.has("Content-Encoding");
}
