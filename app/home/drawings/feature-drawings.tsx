import { Drawing, Lines, Mark, Text } from "./drawing";

const engines = ["ChatGPT", "Perplexity"];
const prompts = [
  { lines: ["Which cargo bike is", "best for two kids?"], named: [true, true] },
  { lines: ["Best electric cargo", "bike for steep hills"], named: [true, true] },
  { lines: ["How much does a", "cargo bike cost?"], named: [true, false] },
  { lines: ["Is a cargo bike safe", "in winter?"], named: [false, true] },
  { lines: ["Cargo bike or", "second car?"], named: [false, false] },
];

export function NamedByPlatform() {
  return (
    <Drawing title="Five prompts on ChatGPT and Perplexity: 6 of 10 answers name Norvane" height={348}>
      <Text y="20" className="font-bold">
        Prompt
      </Text>
      {engines.map((engine, column) => (
        <Text key={engine} x={212 + column * 80} y="20" className="fill-muted" textAnchor="middle">
          {engine}
        </Text>
      ))}
      {prompts.map(({ lines, named }, row) => (
        <g key={lines[0]} transform={`translate(0 ${38 + row * 62})`}>
          <path d="M0 .5H320" className="stroke-line" />
          <Lines x={0} y={28} lines={lines} />
          {named.map((isNamed, column) => (
            <Mark key={engines[column]} x={184 + column * 80} y={20} isNamed={isNamed} />
          ))}
        </g>
      ))}
    </Drawing>
  );
}

const shares = [
  { name: "Norvane", percent: 62, fill: "fill-brand" },
  { name: "Tarrio", percent: 44, fill: "fill-line-strong" },
  { name: "Osterby", percent: 27, fill: "fill-line-strong" },
];

export function VisibilityOfCompetitors() {
  return (
    <Drawing title="Visibility: Norvane 62 percent, Tarrio 44 percent, Osterby 27 percent" height={112}>
      {shares.map(({ name, percent, fill }, row) => (
        <g key={name} transform={`translate(0 ${row * 42})`}>
          <Text y="19" className={row === 0 ? "font-bold" : ""}>
            {name}
          </Text>
          <rect x="78" width={percent * 3} height="28" rx="4" className={`grown ${fill}`} />
          <Text x={88 + percent * 3} y="19">
            {percent}%
          </Text>
        </g>
      ))}
    </Drawing>
  );
}

export function Draft() {
  return (
    <Drawing
      title="A draft on “Cargo bike or second car?” gains a short answer at the top, a table of costs and its sources"
      height={150}
    >
      <Text y="18" className="font-bold">
        Cargo bike or second car?
      </Text>
      {["Answer in the first paragraph", "Five years of costs in a table", "A source for each cost"].map(
        (line, row) => (
          <g key={line} transform={`translate(0 ${36 + row * 40})`}>
            <rect width="320" height="32" rx="6" className="fill-success-soft" />
            <Text x="14" y="21" className="fill-success font-bold">
              + {line}
            </Text>
          </g>
        ),
      )}
    </Drawing>
  );
}
