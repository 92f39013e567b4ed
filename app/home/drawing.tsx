import type { ReactNode } from "react";

interface DrawingProps {
  /** What the drawing says, for those who do not see it. */
  title: string;
  width?: number;
  height: number;
  className?: string;
  children: ReactNode;
}

/** A picture with its title; words in it are read as part of the picture alone. */
export function Drawing({ title, width = 320, height, className = "", children }: DrawingProps) {
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" className={`drawing ${className}`.trim()}>
      <title>{title}</title>
      {children}
    </svg>
  );
}

/** Lines of text under each other. */
export function Lines({
  x,
  y,
  step = 19,
  lines,
  className,
}: {
  x: number;
  y: number;
  step?: number;
  lines: string[];
  className?: string;
}) {
  return (
    <text y={y} className={className}>
      {lines.map((line, index) => (
        <tspan key={line} x={x} dy={index && step}>
          {line}
        </tspan>
      ))}
    </text>
  );
}

/** Whether an answer names the brand. */
export function Mark({ x, y, isNamed }: { x: number; y: number; isNamed: boolean }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width="56" height="24" rx="12" className={isNamed ? "fill-accent" : "gap"} />
      <text x="28" y="16" className={`small font-bold ${isNamed ? "fill-on-accent" : "fill-muted"}`}>
        {isNamed ? "named" : "gap"}
      </text>
    </g>
  );
}
