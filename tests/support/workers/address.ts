import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Address = Awaited<ReturnType<typeof openAddress>>;

/**
 * A URL on this machine that is known and reserved before the Worker behind it starts. Forwards the raw bytes, so that the Worker
 * sees exactly what a client sent, and this address as its URL.
 */
export async function openAddress() {
  const open = new Set<Socket>();
  let port = 0;
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    const outgoing = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    for (const socket of [incoming, outgoing]) {
      open.add(socket);
      socket.on("error", () => undefined).on("close", () => open.delete(socket));
    }
    incoming.on("close", () => outgoing.destroy());
    // Do not cut off an answer that is still on its way to the client.
    outgoing.on("close", () => incoming.end());
    incoming.pipe(outgoing).pipe(incoming);
  });
  await once(server.listen(0, "127.0.0.1").unref(), "listening");
  const endAll = () => open.forEach((socket) => void socket.destroy());
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    /** Forwards new connections to another URL from now on, and closes open ones. */
    leadTo(target: URL) {
      port = Number(target.port);
      endAll();
    },
    close() {
      endAll();
      server.close();
    },
  };
}
