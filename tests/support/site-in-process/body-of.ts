/** A body of given parts that then ends, aborts or never ends, and the number of parts read. */
export function bodyOf(parts: (string | Uint8Array)[], then: "ends" | "breaks off" | "stalls" | "goes on" = "ends") {
  let taken = 0;
  let canceled = false;
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const part = parts[taken] ?? (then === "goes on" ? parts.at(-1) : undefined);
      taken += 1;
      if (part !== undefined) controller.enqueue(typeof part === "string" ? encoder.encode(part) : part.slice());
      else if (then === "breaks off") controller.error(new Error("reset"));
      else if (then === "stalls") return new Promise<void>(() => {});
      else {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
    cancel() {
      canceled = true;
    },
  });
  return { response: new Response(body), taken: () => taken, canceled: () => canceled };
}
