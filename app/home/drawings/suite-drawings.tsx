import { Drawing, Lines, Text } from "./drawing";

export function PromptFromPersona() {
  return (
    <Drawing title="The keyword “cargo bike” and the persona “parent of two” produce a prompt" height={150}>
      <rect x=".5" y=".5" width="148" height="36" rx="18" className="chip" />
      <Text x="74" y="23" textAnchor="middle">
        cargo bike
      </Text>
      <Text x="160" y="23" textAnchor="middle">
        +
      </Text>
      <rect x="171.500" y=".5" width="148" height="36" rx="18" className="chip" />
      <Text x="246" y="23" textAnchor="middle">
        parent of two
      </Text>
      <path d="M74 37V60H246V37M160 60V82" className="fill-none stroke-line-strong" />
      <rect x=".5" y="82.500" width="319" height="62" rx="10" className="chip" />
      <Lines x={16} y={108} lines={["“Which cargo bike is best", "for two kids?”"]} className="font-bold" />
    </Drawing>
  );
}

const months = [38, 41, 47, 50, 57, 62];

export function Dashboard() {
  return (
    <Drawing title="Visibility is up 24 points in five months, and 38 content gaps are open" height={150}>
      <Text y="18" className="fill-muted">
        Visibility
      </Text>
      <Text y="56" className="figure">
        +24
      </Text>
      <Text x="78" y="56" className="fill-muted">
        pts
      </Text>
      <Text y="92" className="fill-muted">
        Content gaps
      </Text>
      <Text y="130" className="figure">
        38
      </Text>
      {months.map((percent, month) => (
        <rect
          key={percent}
          x={124 + month * 34}
          y={144 - percent * 2.2}
          width="24"
          height={percent * 2.2}
          rx="3"
          className={month === 5 ? "fill-brand" : "fill-line-strong"}
        />
      ))}
    </Drawing>
  );
}

const brief = ["Question", "Reader", "Format"];
const entries = ["Cargo bike or second car?", "Parent of two, in a city", "Short answer, then a table"];

export function Brief() {
  return (
    <Drawing title="A content brief names the question, the reader and the format" height={150}>
      <rect x=".5" y=".5" width="319" height="144" rx="10" className="chip" />
      {brief.map((name, row) => (
        <g key={name} transform={`translate(16 ${row * 44})`}>
          {row > 0 && <path d="M0 7H288" className="stroke-line" />}
          <Text y="34" className="fill-muted">
            {name}
          </Text>
          <Text x="78" y="34">
            {entries[row]}
          </Text>
        </g>
      ))}
    </Drawing>
  );
}
