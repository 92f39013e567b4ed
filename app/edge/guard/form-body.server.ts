import { readBoundedText } from "./bounded-body.server";
import { BODY_TOO_LARGE, BODY_TOO_SLOW, MALFORMED, type Refusal, UNSUPPORTED_TYPE } from "./refusals.server";

/** The fields of a form that the site knows, each once. */
export type PostedForm = Readonly<Record<string, string>>;

const MAX_BODY_BYTES = 16 * 1024;
const MAX_FIELDS = 32;
/** Enough for a slow phone's 16 KB; a body that trickles in does not hold a request open. */
const BODY_DEADLINE_MS = 10_000;

const UNREAD = { "too long": BODY_TOO_LARGE, "too slow": BODY_TOO_SLOW, "broken off": MALFORMED };

/** What is wrong with a form as far as its headers tell, before any of its body is read. */
export function refusalOfHeaders({ headers }: Request): Refusal | undefined {
  const type = headers.get("Content-Type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return UNSUPPORTED_TYPE;
  return Number(headers.get("Content-Length") ?? 0) > MAX_BODY_BYTES ? BODY_TOO_LARGE : undefined;
}

/**
 * Reads a URL-encoded form.
 * @param fields the names that it may have; all others are dropped before anything else sees them
 */
export async function readForm(
  request: Request,
  fields: readonly string[],
): Promise<{ form: PostedForm } | { refusal: Refusal }> {
  const body = await readBoundedText(request, { bytes: MAX_BODY_BYTES, milliseconds: BODY_DEADLINE_MS });
  if (body.status !== "read") return { refusal: UNREAD[body.status] };
  const form = knownFields(body.text, fields);
  return form ? { form } : { refusal: MALFORMED };
}

/** Undefined for a body with too many fields or one that repeats a known one. */
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
