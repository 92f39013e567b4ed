/** A body as text, or why there is none. */
export type BodyText = { status: "read"; text: string } | { status: "too long" | "too slow" | "broken off" };

interface Limits {
  /** How many bytes it may have; not one more chunk is read after that. */
  bytes: number;
  /** How long it may take; for as long as the message itself lasts where it is not given. */
  milliseconds?: number;
}

/** Reads a body as UTF-8, whatever its sender promised about its length. */
export async function readBoundedText(message: Request | Response, { bytes, milliseconds }: Limits): Promise<BodyText> {
  const reading = read(message, bytes).catch((): BodyText => ({ status: "broken off" }));
  if (milliseconds === undefined) return reading;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<BodyText>((resolve) => {
    timer = setTimeout(() => resolve({ status: "too slow" }), milliseconds);
  });
  const result = await Promise.race([reading, late]);
  clearTimeout(timer);
  return result;
}

async function read(message: Request | Response, limit: number): Promise<BodyText> {
  if (message.body === null) return { status: "read", text: "" };
  if (isWithin(message.headers, limit)) return { status: "read", text: await message.text() };
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

/**
 * Whether a body can be read at once, which costs a fraction: HTTP holds a sender to the length that it announces
 * (RFC 9112, section 6.3; RFC 9113, section 8.1.1). A compressed one is longer when it is read.
 */
function isWithin(headers: Headers, limit: number): boolean {
  const announced = headers.get("Content-Length");
  return announced !== null && Number(announced) <= limit && !headers.has("Content-Encoding");
}
