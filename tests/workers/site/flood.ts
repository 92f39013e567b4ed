import { connect } from "node:net";
import type { Behavior } from "../../support/workers/upstream";

/** How much is sent unless the other side stops reading. */
const FLOOD_BYTES = 300 * 1024 * 1024;

/** Whoever closes with bytes unread resets the connection, which can take the answer with it. */
const ATTEMPTS = 10;

/**
 * Sends a request whose body has no end, over a socket, which no HTTP client does.
 * @param head the request line and the headers, a line each, without Host
 * @param chunked the body as HTTP's chunks, or as bare bytes
 * @returns the first answer's status, and how many bytes of the body the other side and the sockets between took
 */
export async function flood(url: string, head: string[], chunked: boolean): Promise<{ status: number; sent: number }> {
  let sent = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const result = await floodOnce(url, head, chunked);
    sent = Math.max(sent, result.sent);
    if (result.status !== undefined) return { status: result.status, sent };
  }
  throw new Error(`No answer to ${head[0]}; ${sent} bytes were taken`);
}

function floodOnce(url: string, head: string[], chunked: boolean) {
  const { host, port } = new URL(url);
  return new Promise<{ status: number | undefined; sent: number }>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1");
    let sent = 0;
    let status: number | undefined;
    const [line, ...headers] = head;
    socket.write(`${[line, `Host: ${host}`, ...headers].join("\r\n")}\r\n\r\n`);
    const part = "a=".repeat(32 * 1024);
    const chunk = Buffer.from(chunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part);

    const more = () => {
      if (sent >= FLOOD_BYTES || socket.destroyed) return;
      socket.write(chunk, (error) => {
        if (error) return;
        sent += chunk.byteLength;
        more();
      });
    };
    // To the headers alone the answer comes before the flood.
    socket.on("connect", () => setTimeout(more, chunked ? 0 : 100));
    socket.on("data", (data) => {
      if (status !== undefined) return;
      status = Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString("latin1"))?.[1]);
      // Sends on for a while: somebody who answered early may still read.
      setTimeout(() => socket.destroy(), 300);
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve({ status, sent }));
  });
}

/**
 * Answers with a Content-Length of 5 beside chunks without end, which no HTTP library would write.
 * @param sent counts the bytes that left
 */
export function liesAboutItsLength(sent = { bytes: 0 }, status = 200): Behavior {
  return ({ socket }) => {
    const part = " ".repeat(64 * 1024);
    const chunk = Buffer.from(`${part.length.toString(16)}\r\n${part}\r\n`);
    socket?.on("error", () => {});
    socket?.write(
      `HTTP/1.1 ${status} Status\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const more = () => {
      if (sent.bytes >= FLOOD_BYTES || !socket || socket.destroyed) return;
      socket.write(chunk, (error) => {
        if (error) return;
        sent.bytes += chunk.byteLength;
        more();
      });
    };
    more();
  };
}
