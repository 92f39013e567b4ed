/**
 * Reads a body as UTF-8, whatever its sender promised about its length.
 * @param limit how many bytes it may have; not one more chunk is read after that
 * @param signal gives up when it aborts
 * @returns the text as sent, a byte order mark included; undefined when it is longer than the limit
 * @throws when the body breaks off, or the signal's reason
 */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (body === null) return "";
  const reader = body.getReader();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  let size = 0;
  for (;;) {
    const read = await Promise.race([reader.read(), aborted]);
    if (read.done) return text + decoder.decode();
    size += read.value.byteLength;
    if (size > limit) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(read.value, { stream: true });
  }
}
