import { connect, type Socket } from "node:net";
import type { Behavior } from "../support/workers/upstream";

/** How much is sent unless the other side stops reading. */
const FLOOD_BYTES = 300 * 1024 * 1024;
export const CHUNKED = "Transfer-Encoding: chunked";
const textOf = (bytes: number) => "a=".repeat(bytes / 2);
const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const PART = textOf(64 * 1024);
const CHUNK = chunkOf(PART);

/** Writes until the other side stops reading. */
function pour(socket: Socket | null, text: string, sent: { bytes: number }): void {
  if (sent.bytes >= FLOOD_BYTES || !socket || socket.destroyed) return;
  socket.write(text, (error) => {
    if (error) return;
    sent.bytes += text.length;
    pour(socket, text, sent);
  });
}

/**
 * Sends a request with an endless body over a socket, because no HTTP client does so: first enough bytes to be answered, then,
 * after the answer, more and more until the other side closes.
 * @param head the request line and the headers without Host, one per line
 * @param first the bytes before the answer. workerd must read them all before it closes: unread bytes would reset the connection
 * @returns the answer's status, and how many bytes were accepted after it, socket buffers included
 */
export function flood(url: string, head: string[], first = 17 * 1024): Promise<{ status: number; sent: number }> {
  const { host, port } = new URL(url);
  const [line, ...headers] = head;
  const isChunked = headers.includes(CHUNKED);
  const sent = { bytes: 0 };
  return new Promise((resolve, reject) => {
    let status: number | undefined;
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`${[line, `Host: ${host}`, ...headers].join("\r\n")}\r\n\r\n`);
    socket.write(isChunked ? chunkOf(textOf(first)) : textOf(first));
    socket.on("data", (data) => {
      if (status !== undefined) return;
      status = Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString("latin1"))?.[1]);
      pour(socket, isChunked ? CHUNK : PART, sent);
    });
    socket.on("end", () => socket.destroy()).on("error", () => {});
    socket.on("close", () =>
      status === undefined ? reject(new Error(`No answer to ${line}`)) : resolve({ status, sent: sent.bytes }),
    );
  });
}

/**
 * Answers with a Content-Length of 5 beside chunks without end, which no HTTP library would write.
 * @param sent counts the bytes that left
 */
export function liesAboutItsLength(sent: { bytes: number }, status = 200): Behavior {
  const head = ["Content-Type: application/json", "Content-Length: 5", CHUNKED];
  return ({ socket }) => {
    socket?.on("error", () => {});
    socket?.write(`HTTP/1.1 ${status} Status\r\n${head.join("\r\n")}\r\n\r\n`);
    pour(socket, CHUNK.replaceAll("a=", "  "), sent);
  };
}
