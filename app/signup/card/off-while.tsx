import type { MouseEvent, ReactNode } from "react";

interface OffWhileProps {
  off: boolean;
  inline?: boolean;
  children: ReactNode;
}

/** React 18 has no type for `inert`. */
const OFF = { inert: "", role: "group", "aria-disabled": true, className: "opacity-50", onClickCapture: refuse };

/** Off also where `inert` is unknown: before Chrome 102, Safari 15.5 and Firefox 112. */
export function OffWhile({ off, inline = false, children }: OffWhileProps) {
  const Box = inline ? "span" : "div";
  return <Box {...(off && OFF)}>{children}</Box>;
}

/** A key that activates a link or button is a click, too. */
function refuse(event: MouseEvent) {
  event.preventDefault();
  event.stopPropagation();
}
