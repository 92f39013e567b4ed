import { Fragment, type ReactNode, type SVGProps } from "react";

interface DrawingProps {
  title: string;
  width?: number;
  height: number;
  className?: string;
  children: ReactNode;
}

/** An SVG with a title; screen readers do not read the text inside it separately. */
export function Drawing({ title, width = 320, height, className = "", children }: DrawingProps) {
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      className={`drawing ${className}`.trim()}
    >
      <title>{title}</title>
      {children}
    </svg>
  );
}

/** Text followed by a space, which separates it from the next text in browsers without graphics. */
export function Text(props: SVGProps<SVGTextElement>) {
  return (
    <>
      <text {...props} />{" "}
    </>
  );
}

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
    <Text y={y} className={className}>
      {lines.map((line, index) => (
        <Fragment key={line}>
          {index > 0 && " "}
          <tspan x={x} dy={index && step}>
            {line}
          </tspan>
        </Fragment>
      ))}
    </Text>
  );
}

export function Mark({ x, y, isNamed }: { x: number; y: number; isNamed: boolean }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width="56" height="24" rx="12" className={isNamed ? "fill-accent" : "gap"} />
      <Text x="28" y="16" className={`small font-bold ${isNamed ? "fill-on-accent" : "fill-muted"}`}>
        {isNamed ? "named" : "gap"}
      </Text>
    </g>
  );
}
