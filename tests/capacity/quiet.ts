/** Waits until a number stays as it is: what goes on after an answer has ended. */
export async function quiet(read: () => number, milliseconds = 200): Promise<void> {
  for (;;) {
    const before = read();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    if (read() === before) return;
  }
}
