import { Drawing, Lines, Mark, Text } from "./drawing";

const engines = ["ChatGPT", "Perplexity"];
const prompts = [
  { lines: ["Best cargo bike", "for daily commutes"], named: [true, true] },
  { lines: ["Cargo bike for a", "small apartment"], named: [true, true] },
  { lines: ["Which cargo bike", "carries a dog?"], named: [true, false] },
  { lines: ["Cargo bike range", "in cold weather"], named: [false, true] },
  { lines: ["Lease or buy", "a cargo bike?"], named: [false, false] },
];

export function NamedByPlatform() {
  return (
    <Drawing
      title="Five prompts on ChatGPT and Perplexity: 6 of 10 answers name Norvane, a visibility of 60 percent"
      height={404}
    >
      <Text y="20" className="font-bold">
        Prompt
      </Text>
      <EngineNames y={20} />
      {prompts.map(({ lines, named }, row) => (
        <g key={lines[0]} transform={`translate(0 ${38 + row * 62})`}>
          <path d="M0 .5H320" className="stroke-line" />
          <Lines x={0} y={28} lines={lines} />
          <Marks y={20} named={named} />
        </g>
      ))}
      <path d="M0 348.500H320" className="stroke-ink" />
      <Text y="388">6 of 10 answers name Norvane</Text>
      <Text x="320" y="394" className="figure" textAnchor="end">
        60%
      </Text>
    </Drawing>
  );
}

const brands = [
  { name: "Norvane", named: [false, false] },
  { name: "Tarrio", named: [true, true] },
  { name: "Osterby", named: [true, false] },
];

export function CompetitorsForPrompt() {
  return (
    <Drawing
      title="Asked whether a cargo bike is safe in winter, ChatGPT names Tarrio and Osterby, Perplexity names Tarrio, and neither names Norvane"
      height={168}
    >
      <Text y="18" className="font-bold">
        Is a cargo bike safe in winter?
      </Text>
      <EngineNames y={50} />
      {brands.map(({ name, named }, row) => (
        <g key={name} transform={`translate(0 ${62 + row * 36})`}>
          <path d="M0 .5H320" className="stroke-line" />
          <Text y="23" className={row === 0 ? "font-bold" : ""}>
            {name}
          </Text>
          <Marks y={6} named={named} />
        </g>
      ))}
    </Drawing>
  );
}

function EngineNames({ y }: { y: number }) {
  return engines.map((engine, column) => (
    <Text key={engine} x={204 + column * 80} y={y} className="fill-muted" textAnchor="middle">
      {engine}
    </Text>
  ));
}

function Marks({ y, named }: { y: number; named: boolean[] }) {
  return named.map((isNamed, column) => <Mark key={engines[column]} x={176 + column * 80} y={y} isNamed={isNamed} />);
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
