interface Limits {
  bytes: number;
  milliseconds?: number;
}

type Unread = { status: "too slow" | "aborted" };
/** For a body that is too long, `bytes` are its beginning. */
type BodyBytes = { status: "read" | "too long"; bytes: Uint8Array<ArrayBuffer> } | Unread;
type BodyText = { status: "read" | "too long"; text: string } | Unread;

export async function readBoundedText(message: Request | Response, limits: Limits): Promise<BodyText> {
  const body = await readBoundedBytes(message, limits);
  return "bytes" in body ? { status: body.status, text: new TextDecoder().decode(body.bytes) } : body;
}

/** Reads at most `bytes`, within `milliseconds` if given. Cancels the rest of a longer or slower body if it can. */
export async function readBoundedBytes(message: Request | Response, limits: Limits): Promise<BodyBytes> {
  const { body, headers } = message;
  if (body === null) return { status: "read", bytes: new Uint8Array() };
  // Reading with the runtime makes a posted form faster, but cannot be canceled.
  const reader = isBoundedByTransport(headers, limits.bytes) ? undefined : body.getReader();
  const all = reader ? readAll(reader, limits.bytes) : message.arrayBuffer().then(asBytes);
  const reading = all.catch((): BodyBytes => ({ status: "aborted" }));
  if (limits.milliseconds === undefined) return reading;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<BodyBytes>((resolve) => {
    timer = setTimeout(() => resolve({ status: "too slow" }), limits.milliseconds);
  });
  const result = await Promise.race([reading, timeout]);
  clearTimeout(timer);
  if (result.status === "too slow") await reader?.cancel();
  return result;
}

/** True for a Content-Length, unless chunked (RFC 9112, section 6.3) or compressed: the runtime decompresses responses. */
function isBoundedByTransport(headers: Headers, limit: number): boolean {
  if (headers.has("Transfer-Encoding") || headers.has("Content-Encoding")) return false;
  return Number.parseInt(headers.get("Content-Length") ?? "", 10) <= limit;
}

function asBytes(buffer: ArrayBuffer): BodyBytes {
  return { status: "read", bytes: new Uint8Array(buffer) };
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<BodyBytes> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { status: "read", bytes: joined(chunks, size) };
    size += value.byteLength;
    chunks.push(value);
    if (size > limit) {
      await reader.cancel();
      return { status: "too long", bytes: joined(chunks, size).subarray(0, limit) };
    }
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
