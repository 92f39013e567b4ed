type Bytes = { status: "read"; bytes: Uint8Array<ArrayBuffer> } | { status: "too long" | "too slow" | "aborted" };

/** The body of an answer as UTF-8; undefined when it is longer than `bytes` or breaks off. */
export async function readText(response: Response, bytes: number): Promise<string | undefined> {
  const body = await readBytes(response, { bytes });
  return body.status === "read" ? new TextDecoder().decode(body.bytes) : undefined;
}

/** Reads a body of at most `bytes`, within `milliseconds` where given. Counts what arrives and believes no header. */
export async function readBytes(
  { body }: Request | Response,
  limits: { bytes: number; milliseconds?: number },
): Promise<Bytes> {
  if (body === null) return { status: "read", bytes: new Uint8Array() };
  const reader = body.getReader();
  const reading = readAll(reader, limits.bytes).catch((): Bytes => ({ status: "aborted" }));
  if (limits.milliseconds === undefined) return reading;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<Bytes>((resolve) => {
    timer = setTimeout(() => resolve({ status: "too slow" }), limits.milliseconds);
  });
  const result = await Promise.race([reading, timeout]);
  clearTimeout(timer);
  if (result.status === "too slow") await reader.cancel();
  return result;
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<Bytes> {
  const bytes = new Uint8Array(limit);
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { status: "read", bytes: bytes.subarray(0, size) };
    if (size + value.byteLength > limit) {
      await reader.cancel();
      return { status: "too long" };
    }
    bytes.set(value, size);
    size += value.byteLength;
  }
}
