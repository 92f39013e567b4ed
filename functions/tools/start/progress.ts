const REDRAWN_EVERY_MS = 500;

/**
 * What `npm start` says of itself. In a terminal one line counts the seconds of what is being done; elsewhere each
 * phase is a line.
 */
export function startProgress() {
  const isTerminal = process.stdout.isTTY === true;
  let phase: { text: string; since: number } | undefined;
  let timer: NodeJS.Timeout | undefined;

  const erase = () => {
    if (isTerminal && phase) process.stdout.write("\r\u001b[2K");
  };
  const draw = () => {
    if (!isTerminal || !phase) return;
    const seconds = Math.round((Date.now() - phase.since) / 1000);
    process.stdout.write(`\r\u001b[2K${phase.text} … ${seconds} s`);
  };
  const clear = () => {
    erase();
    phase = undefined;
    clearInterval(timer);
  };
  return {
    /** Begins what takes a while. @param isPart whether it is shown in a terminal alone */
    begin(text: string, isPart = false): void {
      clear();
      if (!isTerminal) {
        if (!isPart) console.log(`${text} …`);
        return;
      }
      phase = { text, since: Date.now() };
      timer = setInterval(draw, REDRAWN_EVERY_MS);
      draw();
    },
    /** A line that stays, above what is being done. */
    print(line: string): void {
      erase();
      console.log(line);
      draw();
    },
    end: clear,
  };
}
