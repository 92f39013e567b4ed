export type BodyText = { status: "read"; text: string } | { status: "too long" | "too slow" | "aborted" };

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
