import { vi } from "vitest";

/** A body that sends the given parts and then ends, breaks off or never ends. Counts the parts that were read. */
export function bodyOf(parts: (string | Uint8Array)[], then: "ends" | "breaks off" | "stalls" | "goes on" = "ends") {
  let taken = 0;
  const cancel = vi.fn();
  const body = new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const part = parts[taken] ?? (then === "goes on" ? parts.at(-1) : undefined);
      taken += 1;
      if (part !== undefined) return controller.enqueue(new Uint8Array(Buffer.from(part)));
      if (then === "breaks off") return controller.error(new Error("reset"));
      if (then === "stalls") return new Promise<void>(() => {});
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel,
  });
  return { response: new Response(body), taken: () => taken, canceled: () => cancel.mock.calls.length > 0 };
}
